import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { eventually } from "./eventually";
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

const TIMEOUT_MS = 6_000;
/** More connections than any listen backlog holds. */
const MOST_CONNECTIONS = 5_000;

function connects(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    setTimeout(() => resolve(false), 200);
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

function senderTo(...addresses: string[]) {
  const lookup = async () => addresses.map((address) => ({ address, family: 4 as const }));
  return opened(createSender({ timeoutMs: TIMEOUT_MS, lookup }));
}

test("an address that drops every packet does not fail the attempt, and is avoided from then on", async () => {
  const receiver = opened(await Receiver.answering(answer(200, "ok", { connection: "close" })));
  await swallowAt("127.0.0.2", receiver.port);
  const sending = senderTo("127.0.0.2", "127.0.0.1");
  const url = `http://hook.test:${receiver.port}/`;
  const first = await exchangeOf(sending, to(url));
  expect(first).toMatchObject({ status: 200, error: null });
  expect(first.durationMs).toBeWithin(450, TIMEOUT_MS / 2);
  for (let i = 0; i < 6; i++) {
    const { status, durationMs } = await exchangeOf(sending, to(url));
    expect(status).toBe(200);
    expect(durationMs).toBeLessThan(450);
  }
  expect(receiver.requests.length).toBe(7);
});

test("an attempt tries at most three addresses, and the next attempt tries others", async () => {
  const receiver = opened(await Receiver.answering(answer(200)));
  const sending = senderTo("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1");
  const url = `http://hook.test:${receiver.port}/`;
  expect(await sending.sendOnce(to(url))).toMatchObject({ status: 0, error: "connection_refused" });
  expect(await sending.sendOnce(to(url))).toMatchObject({ status: 200, error: null });
});

test("if every address drops packets, the attempt ends at its deadline", async () => {
  const receiver = opened(await Receiver.answering(answer(200)));
  for (const host of ["127.0.0.2", "127.0.0.3"]) await swallowAt(host, receiver.port);
  const sending = senderTo("127.0.0.2", "127.0.0.3");
  const exchange = await exchangeOf(sending, {
    ...to(`http://hook.test:${receiver.port}/`),
    timeoutMs: 1_500,
  });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect(exchange.durationMs).toBeWithin(1_490, 2_500);
});

test("if handshakes hang, each address is connected to once, and no connection stays open", async () => {
  const slow = opened(await Receiver.open({ host: "127.0.0.2" }));
  const other = opened(await Receiver.open({ host: "127.0.0.1", port: slow.port }));
  const sending = senderTo("127.0.0.2", "127.0.0.1");
  const exchange = await sending.sendOnce({ ...to(`https://hook.test:${slow.port}/`), timeoutMs: 1_500 });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect([slow.connections, other.connections]).toEqual([1, 1]);
  await eventually(() => slow.open === 0 && other.open === 0);
});

test("if a connected receiver does not answer, no other address is tried", async () => {
  const silent = opened(await Receiver.open({ host: "127.0.0.2" }));
  const other = opened(await Receiver.open({ host: "127.0.0.1", port: silent.port }));
  const sending = senderTo("127.0.0.2", "127.0.0.1");
  const exchange = await sending.sendOnce({ ...to(`http://hook.test:${silent.port}/`), timeoutMs: 1_200 });
  expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  expect([silent.requests.length, other.connections]).toEqual([1, 0]);
});
