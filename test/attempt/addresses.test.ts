import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/runtime/clock";
import { until } from "../support/faults/until";
import { ManualClock } from "./manual-clock";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

/** A busy machine may exceed a deadline by this much. */
const SLACK_MS = 5_000;
/** More connections than any listen backlog holds. */
const MOST_CONNECTIONS = 5_000;

function connects(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    setTimeout(() => resolve(false), 900);
  });
}

/** Makes an address of this machine drop every SYN to a port. */
async function swallowAt(host: string, port: number): Promise<void> {
  const path = join(import.meta.dir, "swallowing.ts");
  const child = Bun.spawn([process.execPath, path, host, String(port)], { stdout: "pipe" });
  const sockets: Socket[] = [];
  opened({
    close() {
      for (const socket of sockets) socket.destroy();
      child.kill("SIGKILL");
    },
  });
  await child.stdout.getReader().read();
  child.kill("SIGSTOP");
  while (sockets.length < MOST_CONNECTIONS) {
    const more = Array.from({ length: 100 }, () => connect({ host, port }));
    sockets.push(...more);
    if ((await Promise.all(more.map(connects))).includes(false)) return;
  }
  throw new Error("it goes on to take connections");
}

function senderTo(addresses: readonly string[], clock: Clock = systemClock) {
  const lookup = async () => addresses.map((address) => ({ address, family: 4 as const }));
  return opened(createSender({ lookup, clock }));
}

test("an address that drops every packet does not fail the attempt, and is avoided from then on", async () => {
  const receiver = opened(await Receiver.answering(answer(200, "ok", { connection: "close" })));
  await swallowAt("127.0.0.2", receiver.port);
  const clock = new ManualClock();
  const sending = senderTo(["127.0.0.2", "127.0.0.1"], clock);
  const send = () => exchangeOf(sending, to(`http://hook.test:${receiver.port}/`));
  const first = send();
  // The deadline, and the time after which the other address is dialled.
  await until(() => clock.pending === 2);
  await clock.pass(500);
  expect(await first).toMatchObject({ status: 200, error: null, durationMs: 500 });
  for (let i = 0; i < 6; i++) expect(await send()).toMatchObject({ status: 200, durationMs: 0 });
  expect(receiver.requests.length).toBe(7);
});

test("an attempt tries at most three addresses, and the next attempt tries others", async () => {
  const receiver = opened(await Receiver.answering(answer(200)));
  const sending = senderTo(["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"]);
  const url = `http://hook.test:${receiver.port}/`;
  expect(await sending.sendOnce(to(url))).toMatchObject({ status: 0, error: "connection_refused" });
  expect(await sending.sendOnce(to(url))).toMatchObject({ status: 200, error: null });
});

test("if every address drops packets, the attempt ends at its deadline", async () => {
  const receiver = opened(await Receiver.answering(answer(200)));
  for (const host of ["127.0.0.2", "127.0.0.3"]) await swallowAt(host, receiver.port);
  const sending = senderTo(["127.0.0.2", "127.0.0.3"]);
  const exchange = await exchangeOf(sending, {
    ...to(`http://hook.test:${receiver.port}/`),
    timeoutMs: 1_500,
  });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect(exchange.durationMs).toBeWithin(1_490, 1_500 + SLACK_MS);
});

test("if handshakes hang, each address is connected to once, and no connection stays open", async () => {
  const slow = opened(await Receiver.open({ host: "127.0.0.2" }));
  const other = opened(await Receiver.open({ host: "127.0.0.1", port: slow.port }));
  const sending = senderTo(["127.0.0.2", "127.0.0.1"]);
  const exchange = await sending.sendOnce({ ...to(`https://hook.test:${slow.port}/`), timeoutMs: 1_500 });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect([slow.connections, other.connections]).toEqual([1, 1]);
  await until(() => slow.open === 0 && other.open === 0);
});

test("if a connected receiver does not answer, no other address is tried", async () => {
  const silent = opened(await Receiver.open({ host: "127.0.0.2" }));
  const other = opened(await Receiver.open({ host: "127.0.0.1", port: silent.port }));
  const sending = senderTo(["127.0.0.2", "127.0.0.1"]);
  const exchange = await sending.sendOnce({ ...to(`http://hook.test:${silent.port}/`), timeoutMs: 1_200 });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect([silent.requests.length, other.connections]).toEqual([1, 0]);
});
