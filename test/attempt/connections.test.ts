import { afterEach, describe, expect, test } from "bun:test";
import { Socket } from "node:net";
import { join } from "node:path";
import { Connection } from "../../src/attempt/connections/connection";
import { ConnectionLost } from "../../src/attempt/failure";
import { AnswerReader } from "../../src/attempt/http1/answer-reader";
import { until } from "../support/faults/until";
import { ManualClock } from "./manual-clock";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, type TestSender, to, UNGUARDED } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

function sender(options: Parameters<typeof createSender>[0] = {}): TestSender {
  return opened(createSender(options));
}

describe("a connection", () => {
  test.each([
    ["a short body", answer(200, "ok")],
    ["no body", answer(200)],
    ["204", "HTTP/1.1 204 X\r\n\r\n"],
    ["an error", answer(500, "no")],
    ["chunks", "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ])("is used again after %s", async (_, bytes) => {
    const receiver = opened(await Receiver.answering(bytes));
    const sending = sender();
    for (let i = 0; i < 10; i++) expect((await exchangeOf(sending, to(receiver.url))).error).toBeNull();
    expect(receiver.requests.length).toBe(10);
    expect(receiver.connections).toBe(1);
  });

  test.each([
    ["says so", answer(200, "ok", { connection: "close" })],
    ["speaks HTTP/1.0", "HTTP/1.0 200 X\r\ncontent-length: 2\r\n\r\nok"],
    ["leaves it open for a second", answer(200, "ok", { "keep-alive": "timeout=1" })],
    ["announces a body where there is none", "HTTP/1.1 204 X\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["sends more than it announced", `${answer(200, "ok")}surplus`],
    ["has more to send than is read", `HTTP/1.1 200 X\r\ncontent-length: 9000\r\n\r\n${"a".repeat(2_000)}`],
  ])("is not used again when the receiver %s", async (_, bytes) => {
    const receiver = opened(await Receiver.answering(bytes));
    const sending = sender();
    for (let i = 0; i < 3; i++) expect((await exchangeOf(sending, to(receiver.url))).error).toBeNull();
    expect(receiver.connections).toBe(3);
    await until(() => receiver.open === 0);
  });

  test.each([
    ["half a minute", answer(200), 30_000],
    ["less than the receiver leaves it open", answer(200, "", { "keep-alive": "timeout=5" }), 4_000],
  ])("is left idle for %s", async (_, bytes, ms) => {
    const receiver = opened(await Receiver.answering(bytes));
    const clock = new ManualClock();
    const sending = sender({ clock });
    await sending.sendOnce(to(receiver.url));
    await clock.pass(ms - 1);
    await sending.sendOnce(to(receiver.url));
    expect(receiver.connections).toBe(1);
    await clock.pass(ms);
    await until(() => receiver.open === 0);
    expect(await sending.sendOnce(to(receiver.url))).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(2);
  });

  test("is kept for each of a hundred receivers", async () => {
    const receivers = await Promise.all(Array.from({ length: 100 }, () => Receiver.answering(answer(200))));
    for (const receiver of receivers) opened(receiver);
    const sending = sender();
    for (let i = 0; i < 3; i++) await Promise.all(receivers.map(({ url }) => sending.sendOnce(to(url))));
    expect(receivers.map(({ connections }) => connections)).toEqual(receivers.map(() => 1));
  });

  test("that got unrequested bytes is not used again", async () => {
    const receiver = opened(
      await Receiver.open({
        onRequest: ({ socket }) =>
          socket.write(answer(200), () => setTimeout(() => socket.write(answer(500)), 10)),
      }),
    );
    const sending = sender();
    for (let i = 0; i < 3; i++) {
      expect(await sending.sendOnce(to(receiver.url))).toMatchObject({ status: 200, error: null });
      await until(() => receiver.open === 0);
    }
  });

  test("is made before the guard is asked, and no request is sent if it refuses", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const sending = sender();
    expect(
      await sending.sendOnce({ ...to(receiver.url), guard: { ...UNGUARDED, tryStart: () => false } }),
    ).toBeNull();
    await until(() => receiver.connections === 1 && receiver.open === 0);
    expect([receiver.requests, sending.inFlight]).toEqual([[], 0]);
  });

  test("is closed if its request can't be built", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const headers = () => ({ "x-broken": "a\r\nb" });
    const exchange = await exchangeOf(sender(), { ...to(receiver.url), headers });
    expect(exchange).toMatchObject({ acknowledged: false, status: 0 });
    await until(() => receiver.connections === 1 && receiver.open === 0);
    expect(receiver.requests).toEqual([]);
  });

  test("whose answer came before its request was fully written is not used again", async () => {
    const receiver = opened(
      await Receiver.open({
        onConnection: (socket) => socket.once("data", () => socket.pause().write(answer(200))),
      }),
    );
    const sending = sender({ timeoutMs: 1_500 });
    const body = "a".repeat(30_000_000);
    for (let i = 0; i < 2; i++)
      expect(await sending.sendOnce({ ...to(receiver.url), body })).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(2);
  });

  test("that is already lost fails at once", async () => {
    const socket = new Socket().destroy();
    const sent = new Connection(socket).send(Buffer.from("POST"), new AnswerReader());
    expect((await sent).error).toBeInstanceOf(ConnectionLost);
  });

  test("belongs to its sender, which closes idle ones", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const [one, other] = [sender(), sender()];
    await one.sendOnce(to(receiver.url));
    await other.sendOnce(to(receiver.url));
    expect(receiver.open).toBe(2);
    one.close();
    await until(() => receiver.open === 1);
  });

  test("closed by the receiver while idle fails no attempt", async () => {
    const receiver = opened(
      await Receiver.open({
        onRequest: ({ socket }) => socket.write(answer(200), () => setTimeout(() => socket.end(), 10)),
      }),
    );
    const sending = sender();
    for (let i = 0; i < 3; i++) {
      expect(await sending.sendOnce(to(receiver.url))).toMatchObject({ status: 200, error: null });
      // Then both ends know that the connection is closed.
      await until(() => receiver.open === 0);
    }
    expect(receiver.connections).toBe(3);
  });
});

/** A receiver that answers when the test tells it to. */
async function patientReceiver() {
  const held: (() => void)[] = [];
  const receiver = opened(
    await Receiver.open({ onRequest: ({ socket }) => void held.push(() => socket.write(answer(200))) }),
  );
  return { receiver, held };
}

describe("the limit of exchanges", () => {
  test("holds, and admits in the order of arrival", async () => {
    const { receiver, held } = await patientReceiver();
    const sending = sender({ maxInFlight: 2 });
    const exchanges = ["a", "b", "c", "d"].map((body) => exchangeOf(sending, { ...to(receiver.url), body }));
    await until(() => held.length === 2);
    await Bun.sleep(30);
    expect({ under: sending.inFlight, waiting: sending.queued, sent: receiver.requests.length }).toEqual({
      under: 2,
      waiting: 2,
      sent: 2,
    });
    for (let i = 0; i < 4; i++) {
      await until(() => held.length > i);
      held[i]?.();
      await until(() => receiver.requests.length === Math.min(4, i + 3));
    }
    expect((await Promise.all(exchanges)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const bodies = receiver.requests.map(({ body }) => body);
    // The first two are sent at once, on separate connections.
    expect([...bodies.slice(0, 2).sort(), ...bodies.slice(2)]).toEqual(["a", "b", "c", "d"]);
    expect({ under: sending.inFlight, waiting: sending.queued }).toEqual({ under: 0, waiting: 0 });
  });

  test("counts no wait against the deadline", async () => {
    const { receiver, held } = await patientReceiver();
    const clock = new ManualClock();
    const sending = sender({ maxInFlight: 1, timeoutMs: 800, clock });
    const first = sending.sendOnce(to(receiver.url));
    const second = exchangeOf(sending, to(receiver.url));
    await until(() => held.length === 1);
    await clock.pass(800);
    expect(await first).toMatchObject({ error: "timeout" });
    await until(() => held.length === 2);
    await clock.pass(799);
    held[1]?.();
    expect(await second).toMatchObject({ status: 200, error: null, durationMs: 799 });
  });

  test("ends the wait of an unwanted request, and of no other", async () => {
    const { receiver, held } = await patientReceiver();
    const sending = sender({ maxInFlight: 1 });
    const first = exchangeOf(sending, to(receiver.url));
    await until(() => held.length === 1);
    let stillWanted = true;
    const dropped = sending.sendOnce({
      ...to(receiver.url),
      guard: { ...UNGUARDED, stillWanted: () => stillWanted },
    });
    const kept = exchangeOf(sending, to(receiver.url));
    sending.dropUnwanted();
    expect(sending.queued).toBe(2);
    stillWanted = false;
    sending.dropUnwanted();
    expect(await dropped).toBeNull();
    expect([sending.inFlight, sending.queued]).toEqual([1, 1]);
    held[0]?.();
    await until(() => held.length === 2);
    held[1]?.();
    expect((await Promise.all([first, kept])).map(({ status }) => status)).toEqual([200, 200]);
    expect([sending.inFlight, sending.queued]).toEqual([0, 0]);
  });

  test("leaves an endpoint that hung half of the places, and another one of its account the rest", async () => {
    const { receiver, held } = await patientReceiver();
    const silent = opened(await Receiver.open());
    const sending = sender({ maxInFlight: 2 });
    const hanging = () => sending.sendOnce({ ...to(silent.url), timeoutMs: 100 });
    expect(await hanging()).toMatchObject({ error: "timeout" });
    const both = [hanging(), hanging()];
    expect([sending.inFlight, sending.queued]).toEqual([1, 1]);
    const other = sending.sendOnce(to(receiver.url));
    expect([sending.inFlight, sending.queued]).toEqual([2, 1]);
    await until(() => held.length === 1);
    held[0]?.();
    expect(await other).toMatchObject({ status: 200 });
    await Promise.all(both);
  });

  test("frees its slots after failures of every kind", async () => {
    const sending = sender({ maxInFlight: 1, timeoutMs: 100 });
    const silent = opened(await Receiver.open());
    for (const url of [
      "nonsense",
      "http://127.0.0.1:1/",
      "http://nobody.invalid/",
      silent.url,
      "http://169.254.169.254/",
    ]) {
      expect((await exchangeOf(sending, to(url))).error).not.toBeNull();
    }
    expect(sending.inFlight).toBe(0);
  });
});

describe("memory for large bodies", () => {
  const MIB = 1_048_576;

  /** A request with a large body, which calls `onRead` when it is read. */
  function large(url: string, account: string, endpoint: number, bytes: number, onRead = () => {}) {
    const read = async () => {
      onRead();
      return "x".repeat(bytes);
    };
    const owner = { account, endpoint: `${account} ${endpoint}`, isFailing: false };
    return { ...to(url), owner, body: { bytes, read } };
  }

  test("is taken by bodies that receivers do not read, and never all by one account's", async () => {
    const deaf = opened(await Receiver.open({ onConnection: (socket) => void socket.pause() }));
    const healthy = opened(await Receiver.answering(answer(200)));
    const clock = new ManualClock();
    const sending = sender({ timeoutMs: 1_500, clock });
    let read = 0;
    // Each body is larger than the kernel's buffers.
    const hang = (_: unknown, n: number) => sending.sendOnce(large(deaf.url, "a", n, 16 * MIB, () => read++));
    const hanging = Array.from({ length: 6 }, hang);
    await until(() => deaf.connections === 3);
    expect([sending.inFlight, sending.queued, read]).toEqual([3, 3, 3]);
    const small = sending.sendOnce({ ...to(healthy.url), owner: large("", "a", 9, 0).owner });
    const others = sending.sendOnce(large(healthy.url, "b", 0, MIB));
    for (const exchange of await Promise.all([small, others]))
      expect(exchange).toMatchObject({ status: 200 });
    expect(read).toBe(3);
    await clock.pass(1_500);
    await until(() => deaf.connections === 6);
    await clock.pass(1_500);
    for (const exchange of await Promise.all(hanging)) expect(exchange).toMatchObject({ error: "timeout" });
    expect([sending.inFlight, sending.queued, read]).toEqual([0, 0, 6]);
  });

  test("is freed as soon as the kernel has a body, however long its receiver takes", async () => {
    const { receiver, held } = await patientReceiver();
    const sending = sender();
    const all = Array.from({ length: 100 }, (_, n) => sending.sendOnce(large(receiver.url, "a", n, MIB)));
    await until(() => held.length === 100);
    for (const act of held) act();
    for (const exchange of await Promise.all(all)) expect(exchange).toMatchObject({ status: 200 });
    expect(receiver.requests.every(({ body }) => body === "x".repeat(MIB))).toBe(true);
  });

  test("is freed by a body that can't be read, which is not sent, and by one that is no longer wanted", async () => {
    const deaf = opened(await Receiver.open({ onConnection: (socket) => void socket.pause() }));
    const sending = sender({ timeoutMs: 1_000 });
    const none = { bytes: MIB, read: async () => null };
    expect(await sending.sendOnce({ ...to(deaf.url), body: none })).toBeNull();
    expect(deaf.connections).toBe(0);
    const hanging = [0, 1, 2].map((n) => sending.sendOnce(large(deaf.url, "a", n, 16 * MIB)));
    let stillWanted = true;
    const guard = { ...UNGUARDED, stillWanted: () => stillWanted };
    const waiting = sending.sendOnce({ ...large(deaf.url, "a", 3, 16 * MIB), guard });
    expect(sending.queued).toBe(1);
    stillWanted = false;
    sending.dropUnwanted();
    expect(await waiting).toBeNull();
    await Promise.all(hanging);
  });
});

test("500 hanging receivers do not slow a healthy one, and leave no socket or memory behind", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "hanging.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const report = JSON.parse(await new Response(child.stdout).text());
  expect(report.timeouts).toBe(report.rounds * 500);
  expect(report.mostOpen).toBe(500);
  expect(report.openAfter).toBe(0);
  expect(report.inFlightAfter).toBe(0);
  expect(report.delayed).toBe(0);
  expect(report.grownBytes).toBeLessThan(20_000_000);
});
