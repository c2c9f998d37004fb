import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { NameServer, type Zone } from "./name-server";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, type TestSender, to } from "./sending";

/** Two receivers on one port, in production. Only the first is permitted. */
const PERMITTED = "127.0.0.2";
const DENIED = "127.0.0.1";
/** Permitted too, but nobody listens there. */
const SILENT = "127.0.0.3";

let permitted: Receiver;
let denied: Receiver;
const open: { close(): void }[] = [];

beforeAll(async () => {
  denied = await Receiver.answering(answer(200, "secret"));
  permitted = await Receiver.open({
    host: PERMITTED,
    port: denied.port,
    onRequest: ({ socket }) => socket.write(answer(307, "moved", { location: denied.url })),
  });
});
afterAll(() => {
  permitted.close();
  denied.close();
});
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  permitted.requests.length = 0;
});

async function world(zoneOf: (name: string, count: number) => Zone, ttlMs = 0) {
  const names = await NameServer.open(zoneOf);
  const sender = createSender({
    production: true,
    allowPrivateNetworks: `${PERMITTED},${SILENT}`,
    ttlMs,
  });
  open.push(names, sender);
  return { names, sender };
}

function send(sender: TestSender, name = "hook.test") {
  return exchangeOf(sender, to(`http://${name}:${denied.port}/hook`));
}

describe("a name, resolved as in production,", () => {
  test("whose address changes to a denied one is first sent to the first address, then to none", async () => {
    const zoneOf = (_: string, count: number) => ({ addresses: [count === 1 ? PERMITTED : DENIED] });
    const { names, sender } = await world(zoneOf);
    expect(await send(sender)).toMatchObject({ status: 307, error: null, responseBody: "moved" });
    // One answer was checked and connected to, without a second query.
    expect(names.asked.get("hook.test")).toBe(1);
    for (let i = 0; i < 3; i++)
      expect(await send(sender)).toMatchObject({ status: 0, error: "blocked_address" });
    expect(permitted.requests.length).toBe(1);
    expect(denied.connections).toBe(0);
  });

  test("whose address changes with every answer is sent to permitted addresses only", async () => {
    const zoneOf = (_: string, count: number) => ({ addresses: [count % 2 ? DENIED : PERMITTED] });
    const { sender } = await world(zoneOf);
    for (let i = 0; i < 20; i++) {
      const expected = i % 2 ? { status: 307 } : { error: "blocked_address" };
      expect(await send(sender)).toMatchObject(expected);
    }
    expect(permitted.requests.length).toBe(10);
    expect(denied.connections).toBe(0);
  });

  test("keeps its answer for a while, even with a TTL of 0", async () => {
    const zoneOf = (_: string, count: number) => ({ addresses: [count === 1 ? PERMITTED : DENIED] });
    const { names, sender } = await world(zoneOf, 5_000);
    for (let i = 0; i < 3; i++) expect((await send(sender)).status).toBe(307);
    expect(names.asked.get("hook.test")).toBe(1);
  });

  test.each<[string, Zone]>([
    ["a denied address", { addresses: [DENIED] }],
    ["several denied ones", { addresses: [DENIED, "::1", "169.254.169.254"] }],
    ["a mapped one", { addresses: ["::ffff:127.0.0.1"] }],
    ["one behind NAT64", { addresses: ["64:ff9b::7f00:1"] }],
    ["Azure's agent", { addresses: ["168.63.129.16"] }],
    ["this network", { addresses: ["0.0.0.0"] }],
    ["an alias of a name with a denied one", { addresses: [DENIED], alias: "inner.test" }],
    ["an alias of localhost", { addresses: [DENIED], alias: "localhost" }],
  ])("and has %s is not sent to at all", async (_, zone) => {
    const { sender } = await world(() => zone);
    expect(await send(sender)).toMatchObject({ status: 0, error: "blocked_address", responseBody: null });
    expect(permitted.requests.length).toBe(0);
    expect(denied.connections).toBe(0);
  });

  test.each<[string, Zone]>([
    ["behind the permitted one", { addresses: [PERMITTED, DENIED] }],
    ["before the permitted one", { addresses: [DENIED, PERMITTED] }],
    ["of the other family", { addresses: [PERMITTED, "::1"] }],
    ["that is mapped", { addresses: [PERMITTED, "::ffff:127.0.0.1"] }],
    ["behind NAT64", { addresses: [PERMITTED, "64:ff9b::7f00:1"] }],
    ["of cloud metadata", { addresses: [PERMITTED, "169.254.169.254"] }],
    ["of a useless kind", { addresses: [PERMITTED, "fe80::1", "fd00::1", "::"] }],
    ["of a name it is an alias of", { addresses: [PERMITTED, DENIED], alias: "inner.test" }],
  ])("and has a denied address %s as well is sent to the permitted one", async (_, zone) => {
    const { sender } = await world(() => zone);
    for (let i = 0; i < 4; i++) expect(await send(sender)).toMatchObject({ status: 307, error: null });
    expect(permitted.requests.length).toBe(4);
    expect(denied.connections).toBe(0);
  });

  test("whose permitted address does not answer is not sent to a denied one instead", async () => {
    const { sender } = await world(() => ({ addresses: [SILENT, DENIED] }));
    for (let i = 0; i < 3; i++)
      expect(await send(sender)).toMatchObject({ status: 0, error: "connection_refused" });
    expect(denied.connections).toBe(0);
  });

  test("that is an alias of a permitted name is sent to", async () => {
    const { sender } = await world(() => ({ addresses: [PERMITTED], alias: "inner.test" }));
    expect(await send(sender)).toMatchObject({ status: 307 });
  });

  test.each<Zone>(["nxdomain", "servfail", { addresses: [] }, { addresses: [], alias: "inner.test" }])(
    "and has none (%j) fails as such",
    async (zone) => {
      const { sender } = await world(() => zone);
      expect(await send(sender)).toMatchObject({ status: 0, error: "dns" });
    },
  );

  test("without a readable answer fails within the deadline", async () => {
    const { sender } = await world(() => "garbage");
    const exchange = await exchangeOf(sender, { ...to(`http://hook.test:${denied.port}/`), timeoutMs: 200 });
    expect(["dns", "timeout"]).toContain(exchange.error ?? "");
  });
});

test("a receiver that redirects to a denied address is not followed", async () => {
  const { names, sender } = await world(() => ({ addresses: [PERMITTED] }));
  expect(await send(sender)).toMatchObject({ status: 307, error: null, responseBody: "moved" });
  expect([...names.asked.keys()]).toEqual(["hook.test"]);
  expect(denied.connections).toBe(0);
});
