import { afterEach, describe, expect, test } from "bun:test";
import {
  AUTHORITY,
  CERTIFICATE,
  EXCEEDING_CERTIFICATE,
  EXPIRED_CERTIFICATE,
  KEY,
  LIMITED_AUTHORITY,
  SELF_SIGNED_CERTIFICATE,
} from "./certificates";
import { answer, Receiver } from "./receiver";
import { createSender, to } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function secureReceiver(cert = CERTIFICATE): Promise<Receiver> {
  const receiver = await Receiver.open({
    tls: { key: KEY, cert, ALPNProtocols: ["h2", "http/1.1"] },
    onRequest: ({ socket }) => socket.write(answer(200, "secret")),
  });
  open.push(receiver);
  return receiver;
}

/** A sender that finds every name on this machine. */
function senderFor(certificateAuthorities?: string) {
  const sender = createSender({
    lookup: async () => [{ address: "127.0.0.1", family: 4 }],
    timeoutMs: 2_000,
    certificateAuthorities,
  });
  open.push(sender);
  return sender;
}

describe("TLS", () => {
  test("goes to the pinned address as HTTP/1.1, and is checked against the URL's name", async () => {
    const { port, requests } = await secureReceiver();
    const exchange = await senderFor(AUTHORITY).send(to(`https://hook.test:${port}/x`));
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "secret" });
    expect(requests[0]?.head.toLowerCase()).toContain(`host: hook.test:${port}`);
    expect(requests[0]?.socket).toMatchObject({ servername: "hook.test", alpnProtocol: "http/1.1" });
  });

  test("takes the name without the dot of an absolute name", async () => {
    const { port, requests } = await secureReceiver();
    expect(await senderFor(AUTHORITY).send(to(`https://hook.test.:${port}/`))).toMatchObject({ status: 200 });
    expect(requests[0]?.socket).toMatchObject({ servername: "hook.test" });
  });

  test("refuses a certificate for another name, also where a connection for the right one is idle", async () => {
    const receiver = await secureReceiver();
    const sender = senderFor(AUTHORITY);
    expect(await sender.send(to(`https://hook.test:${receiver.port}/`))).toMatchObject({ status: 200 });
    const other = await sender.send(to(`https://other.test:${receiver.port}/`));
    expect(other).toMatchObject({ status: 0, error: "tls", responseBody: null });
    expect(receiver.requests.length).toBe(1);
  });

  test("refuses a certificate for a name where the URL has an address", async () => {
    const receiver = await secureReceiver();
    const exchange = await senderFor(AUTHORITY).send(to(`https://127.0.0.1:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses an expired certificate", async () => {
    const receiver = await secureReceiver(EXPIRED_CERTIFICATE);
    const exchange = await senderFor(AUTHORITY).send(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses a certificate that nobody known has signed", async () => {
    const receiver = await secureReceiver();
    const exchange = await senderFor().send(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test.each([AUTHORITY, undefined])("refuses a certificate that signs itself", async (authorities) => {
    const receiver = await secureReceiver(SELF_SIGNED_CERTIFICATE);
    const exchange = await senderFor(authorities).send(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("refuses a certificate for a name that its authority may not sign for", async () => {
    const receiver = await secureReceiver(EXCEEDING_CERTIFICATE);
    const exchange = await senderFor(LIMITED_AUTHORITY).send(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("reuses its connections", async () => {
    const receiver = await secureReceiver();
    const sender = senderFor(AUTHORITY);
    for (let i = 0; i < 5; i++) await sender.send(to(`https://hook.test:${receiver.port}/`));
    expect(receiver.requests.length).toBe(5);
    expect(receiver.connections).toBe(1);
  });
});
