import { expect, test } from "bun:test";
import { Socket } from "node:net";
import { AddressRace } from "../../src/attempt/connections/address-race";
import { Connection } from "../../src/attempt/connections/connection";
import { Deadline } from "../../src/attempt/deadline";
import { Route } from "../../src/attempt/targets/route";
import { ManualClock } from "./manual-clock";

const ROUTE = new Route("http://hook.test/", false);

function targetAt(address: string) {
  return ROUTE.at(address);
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Races to these addresses. The test ends each dial. */
function scene(...addresses: string[]) {
  const clock = new ManualClock();
  const deadline = new Deadline();
  const dials = new Map<
    string,
    { deadline: Deadline; resolve(made: Connection): void; reject(e: Error): void }
  >();
  const avoided: string[] = [];
  const race = new AddressRace({
    clock,
    next(tried) {
      const left = addresses.find((each) => !tried.includes(each));
      return left === undefined ? null : targetAt(left);
    },
    dial({ address }, deadline) {
      const { promise, resolve, reject } = Promise.withResolvers<Connection>();
      dials.set(address, { deadline, resolve, reject });
      return promise;
    },
    avoid: ({ address }) => void avoided.push(address),
  });
  let result: string | null = null;
  race
    .run(targetAt(addresses[0] ?? ""), deadline)
    .then(({ target }) => target.address)
    .catch((error) => error.message)
    .then((reported) => {
      result = reported;
    });
  return {
    clock,
    deadline,
    avoided,
    get result() {
      return result;
    },
    get begun() {
      return [...dials.keys()];
    },
    /** Addresses whose dials were aborted. */
    get cut() {
      return [...dials].flatMap(([address, { deadline }]) => (deadline.hasPassed ? [address] : []));
    },
    async connect(address: string) {
      const socket = new Socket();
      dials.get(address)?.resolve(new Connection(socket));
      await Bun.sleep(0);
      return socket;
    },
    async fail(address: string, code: string) {
      dials.get(address)?.reject(failure(code));
      await Bun.sleep(0);
    },
  };
}

test("another address is dialled after half a second, and each further one half a second later", async () => {
  const race = scene("a", "b", "c");
  await race.clock.pass(499);
  expect(race.begun).toEqual(["a"]);
  await race.clock.pass(1);
  expect(race.begun).toEqual(["a", "b"]);
  await race.clock.pass(499);
  expect(race.begun).toEqual(["a", "b"]);
  await race.clock.pass(1);
  expect(race.begun).toEqual(["a", "b", "c"]);
});

test("an address that can't be connected to is skipped, and the next has its full time", async () => {
  const race = scene("a", "b", "c");
  await race.clock.pass(400);
  await race.fail("a", "ECONNREFUSED");
  expect([race.begun, race.avoided]).toEqual([["a", "b"], ["a"]]);
  await race.clock.pass(499);
  expect(race.begun).toEqual(["a", "b"]);
  await race.connect("b");
  expect(race.result).toBe("b");
  expect(race.avoided).toEqual(["a"]);
});

test("the first connection wins: addresses dialled earlier are avoided from then on, later ones only aborted", async () => {
  const race = scene("a", "b", "c");
  await race.clock.pass(1_000);
  const won = await race.connect("b");
  expect([race.result, race.avoided, race.cut]).toEqual(["b", ["a"], ["a", "c"]]);
  expect(won.destroyed).toBe(false);
  expect(race.clock.pending).toBe(0);
});

test("later connections are closed, and do not count against their addresses", async () => {
  const race = scene("a", "b", "c", "d");
  await race.clock.pass(1_000);
  await race.connect("b");
  expect((await race.connect("a")).destroyed).toBe(true);
  await race.fail("c", "ECONNREFUSED");
  expect([race.result, race.avoided, race.begun]).toEqual(["b", ["a"], ["a", "b", "c"]]);
});

test("an error other than a failed connection ends the race, since it may concern one endpoint only", async () => {
  const race = scene("a", "b", "c");
  await race.clock.pass(500);
  await race.fail("a", "CERT_HAS_EXPIRED");
  expect([race.result, race.avoided, race.begun, race.cut]).toEqual([
    "CERT_HAS_EXPIRED",
    [],
    ["a", "b"],
    ["b"],
  ]);
  expect(race.clock.pending).toBe(0);
});

test("if no address can be connected to, the race ends with the last error", async () => {
  const race = scene("a", "b");
  await race.fail("a", "ECONNREFUSED");
  expect(race.result).toBeNull();
  await race.fail("b", "EHOSTUNREACH");
  expect([race.result, race.avoided]).toEqual(["EHOSTUNREACH", ["a", "b"]]);
});

test("at the deadline the addresses being dialled are avoided from then on, and aborted", async () => {
  const race = scene("a", "b", "c");
  await race.clock.pass(500);
  race.deadline.expire();
  expect([race.avoided, race.cut]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  await race.fail("b", "CUT");
  expect([race.result, race.begun]).toEqual(["CUT", ["a", "b"]]);
  expect(race.clock.pending).toBe(0);
});
