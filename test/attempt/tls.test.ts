import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { join } from "node:path";
import { until } from "../support/faults/until";
import {
  AUTHORITY,
  CERTIFICATE,
  EXCEEDING_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  KEY,
  LIMITED_AUTHORITY,
  SELF_SIGNED_CERTIFICATE,
} from "./certificates";
import { answer, Receiver, type ReceiverOptions } from "./receiver";
import { createSender, PATIENT_MS, to } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function secureReceiver(cert = CERTIFICATE, options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await Receiver.open({
    tls: { key: KEY, cert, ALPNProtocols: ["h2", "http/1.1"] },
    onRequest: ({ socket }) => socket.write(answer(200, "secret")),
    ...options,
  });
  open.push(receiver);
  return receiver;
}

/** Starts a receiver whose certificates take long to check, and returns its port. */
function expensiveReceiver(): Promise<number> {
  return portOf([process.execPath, join(import.meta.dir, "expensive-tls-receiver.ts")]);
}

/** Starts a receiver that renegotiates `times` per request, and returns its port. */
function renegotiatingReceiver(times: number): Promise<number> {
  const path = join(import.meta.dir, "renegotiating-receiver.mjs");
  return portOf(["node", path, KEY, CERTIFICATE, String(times)]);
}

/** Returns the port that a process prints. */
async function portOf(command: string[]): Promise<number> {
  const child = Bun.spawn(command, { stdout: "pipe" });
  open.push({ close: () => child.kill("SIGKILL") });
  const { value } = await child.stdout.getReader().read();
  return Number(new TextDecoder().decode(value));
}

/** A sender that resolves every name to this machine. */
function senderFor(certificateAuthorities?: string, timeoutMs = PATIENT_MS) {
  const sender = createSender({
    lookup: async () => [{ address: "127.0.0.1", family: 4 }],
    timeoutMs,
    tls: { certificateAuthorities },
  });
  open.push(sender);
  return sender;
}

describe("TLS", () => {
  test("goes to the pinned address as HTTP/1.1, and is checked against the URL's name", async () => {
    const { port, requests } = await secureReceiver();
    const exchange = await senderFor(AUTHORITY).sendOnce(to(`https://hook.test:${port}/x`));
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "secret" });
    expect(requests[0]?.head.toLowerCase()).toContain(`host: hook.test:${port}`);
    expect(requests[0]?.socket).toMatchObject({ servername: "hook.test", alpnProtocol: "http/1.1" });
  });

  test("accepts the name without the final dot of an absolute name", async () => {
    const { port, requests } = await secureReceiver();
    expect(await senderFor(AUTHORITY).sendOnce(to(`https://hook.test.:${port}/`))).toMatchObject({
      status: 200,
    });
    expect(requests[0]?.socket).toMatchObject({ servername: "hook.test" });
  });

  test("refuses a certificate for another name, even if a connection for the right one is idle", async () => {
    const receiver = await secureReceiver();
    const sender = senderFor(AUTHORITY);
    expect(await sender.sendOnce(to(`https://hook.test:${receiver.port}/`))).toMatchObject({ status: 200 });
    const other = await sender.sendOnce(to(`https://other.test:${receiver.port}/`));
    expect(other).toMatchObject({ status: 0, error: "tls", responseBody: null });
    expect(receiver.requests.length).toBe(1);
  });

  test("refuses a certificate for a name if the URL has an address", async () => {
    const receiver = await secureReceiver();
    const exchange = await senderFor(AUTHORITY).sendOnce(to(`https://127.0.0.1:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses an expired certificate", async () => {
    const receiver = await secureReceiver(EXPIRED_CERTIFICATE);
    const exchange = await senderFor(AUTHORITY).sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses a certificate of an unknown authority", async () => {
    const receiver = await secureReceiver();
    const exchange = await senderFor().sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test.each([AUTHORITY, undefined])("refuses a self-signed certificate", async (authorities) => {
    const receiver = await secureReceiver(SELF_SIGNED_CERTIFICATE);
    const exchange = await senderFor(authorities).sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses a certificate for a name that its authority may not sign for", async () => {
    const receiver = await secureReceiver(EXCEEDING_CERTIFICATE);
    const exchange = await senderFor(LIMITED_AUTHORITY).sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("reuses its connections", async () => {
    const receiver = await secureReceiver();
    const sender = senderFor(AUTHORITY);
    for (let i = 0; i < 5; i++) await sender.sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(receiver.requests.length).toBe(5);
    expect(receiver.connections).toBe(1);
  });

  test("does not reuse a connection whose answer came before its request was fully written", async () => {
    const receiver = await secureReceiver(CERTIFICATE, {
      onConnection: (socket) => socket.once("data", () => socket.pause().write(answer(200))),
    });
    const sender = senderFor(AUTHORITY, 1_500);
    const request = { ...to(`https://hook.test:${receiver.port}/`), body: "a".repeat(30_000_000) };
    for (let i = 0; i < 2; i++) expect(await sender.sendOnce(request)).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(2);
  });

  test("delivers a large body whole to a slow receiver", async () => {
    const receiver = await secureReceiver(CERTIFICATE, {
      onConnection: (socket) =>
        socket.once("data", () => socket.pause() && setTimeout(() => socket.resume(), 50)),
    });
    const body = "0123456789".repeat(500_000);
    const exchange = await senderFor(AUTHORITY).sendOnce({
      ...to(`https://hook.test:${receiver.port}/`),
      body,
    });
    expect(exchange).toMatchObject({ status: 200, error: null });
    expect(receiver.requests[0]?.body === body).toBe(true);
  });

  test.each<[string, object, (socket: Socket) => unknown]>([
    [
      "an end for the end of the answer",
      { status: 200, error: null, responseBody: "ok" },
      (socket) => socket.end("HTTP/1.1 200 X\r\n\r\nok"),
    ],
    ["an end before the answer", { status: 0, error: "connection_reset" }, (socket) => socket.end()],
    [
      "a reset within the answer",
      { status: 200, error: "connection_reset" },
      (socket) => socket.write("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nok", () => socket.destroy()),
    ],
  ])("accepts %s", async (_, outcome, act) => {
    const receiver = await secureReceiver(CERTIFICATE, { onRequest: ({ socket }) => void act(socket) });
    const exchange = await senderFor(AUTHORITY).sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject(outcome);
    await until(() => receiver.open === 0);
  });

  test.each(["end", "resetAndDestroy"] as const)("%s during the handshake is not an answer", async (act) => {
    const receiver = await Receiver.open({
      onConnection: (socket) => socket.once("data", () => socket[act]()),
    });
    open.push(receiver);
    const exchange = await senderFor(AUTHORITY).sendOnce(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "connection_reset" });
  });

  test("refuses an excessive number of certificates", async () => {
    const few = await secureReceiver(CERTIFICATE + AUTHORITY.repeat(20));
    const many = await secureReceiver(CERTIFICATE + AUTHORITY.repeat(200));
    const sender = senderFor(AUTHORITY);
    expect(await sender.sendOnce(to(`https://hook.test:${few.port}/`))).toMatchObject({ status: 200 });
    expect(await sender.sendOnce(to(`https://hook.test:${many.port}/`))).toMatchObject({
      status: 0,
      error: "tls",
    });
    expect(many.requests.length).toBe(0);
    await until(() => many.open === 0);
  });

  const onNode = test.skipIf(Bun.which("node") === null);
  onNode("refuses to renegotiate for a client certificate, and says so", async () => {
    const sender = senderFor(AUTHORITY);
    const [asking, other] = [await renegotiatingReceiver(1), await renegotiatingReceiver(0)];
    const exchange = await sender.sendOnce(to(`https://hook.test:${asking}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls", errorDetail: "renegotiation" });
    expect(await sender.sendOnce(to(`https://hook.test:${other}/`))).toMatchObject({ status: 200 });
  });

  test("lets an account's handshake wait for only few slow ones of another account", async () => {
    const [expensive, plain] = [await expensiveReceiver(), await secureReceiver()];
    const sender = senderFor(AUTHORITY, 3 * PATIENT_MS);
    let ended = 0;
    const sendExpensive = () => sender.sendOnce(to(`https://hook.test:${expensive}/`)).finally(() => ended++);
    const many = Array.from({ length: 200 }, sendExpensive);
    await until(() => ended > 0);
    const before = ended;
    const owner = { account: "another account", endpoint: "an endpoint", isFailing: false };
    const exchange = await sender.sendOnce({ ...to(`https://hook.test:${plain.port}/`), owner });
    expect(exchange).toMatchObject({ status: 200 });
    expect(ended - before).toBeLessThan(25);
    for (const each of await Promise.all(many)) expect(each).toMatchObject({ status: 200 });
  });
});
