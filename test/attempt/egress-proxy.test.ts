import { afterEach, describe, expect, test } from "bun:test";
import { parseProxyUrl } from "../../src/attempt/egress-proxy";
import { AUTHORITY, CERTIFICATE, EXPIRED_CERTIFICATE, KEY } from "./certificates";
import { eventually } from "./eventually";
import { ForwardProxy, type ForwardProxyOptions } from "./forward-proxy";
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

async function receiverOf(cert?: string): Promise<Receiver> {
  const tls = cert === undefined ? undefined : { key: KEY, cert };
  return opened(await Receiver.open({ tls, onRequest: ({ socket }) => socket.write(answer(200, "there")) }));
}

async function through(options: ForwardProxyOptions = {}, user = "", address = "127.0.0.1") {
  const proxy = opened(await ForwardProxy.open(options));
  const sender = senderVia(`http://${user}${proxy.address}`, address);
  return { proxy, sender };
}

/** A sender that finds every name at one address. */
function senderVia(egressProxy: string, address = "127.0.0.1") {
  const lookup = async () => [{ address, family: 4 as const }];
  return opened(
    createSender({ lookup, egressProxy, timeoutMs: 3_000, tls: { certificateAuthorities: AUTHORITY } }),
  );
}

test("a proxy may have an IPv6 address, and needs no port and no credentials", () => {
  expect(parseProxyUrl("http://[::1]")).toEqual({ host: "::1", port: 80, authorization: null });
});

describe("through a proxy", () => {
  test("https is tunnelled to the checked address, and the certificate checked against the name", async () => {
    const receiver = await receiverOf(CERTIFICATE);
    const { proxy, sender } = await through();
    for (let i = 0; i < 3; i++) {
      const exchange = await sender.send(to(`https://hook.test:${receiver.port}/x?y`));
      expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "there" });
    }
    expect(proxy.requestLines).toEqual([`CONNECT 127.0.0.1:${receiver.port} HTTP/1.1`]);
    expect(proxy.asked.join()).not.toContain("hook.test");
    expect(receiver.requests[0]?.head).toMatch(/^POST \/x\?y /);
    expect(receiver.requests[0]?.head.toLowerCase()).toContain(`host: hook.test:${receiver.port}`);
  });

  test("http is asked for by the checked address, under the receiver's name", async () => {
    const receiver = await receiverOf();
    const { proxy, sender } = await through();
    const exchange = await sender.send(to(`http://hook.test:${receiver.port}/x?y`));
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "there" });
    expect(proxy.requestLines).toEqual([`POST http://127.0.0.1:${receiver.port}/x?y HTTP/1.1`]);
    expect(receiver.requests[0]?.head.toLowerCase()).toContain(`host: hook.test:${receiver.port}`);
  });

  test.each([
    ["for another name", CERTIFICATE, "other.test"],
    ["for a name where the URL has an address", CERTIFICATE, "127.0.0.1"],
    ["that has expired", EXPIRED_CERTIFICATE, "hook.test"],
  ])("a certificate %s is refused, and nothing sent", async (_, cert, host) => {
    const receiver = await receiverOf(cert);
    const { sender } = await through();
    const exchange = await sender.send(to(`https://${host}:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("a tunnel serves no other name at the same address", async () => {
    const receiver = await receiverOf(CERTIFICATE);
    const { sender } = await through();
    expect(await sender.send(to(`https://hook.test:${receiver.port}/`))).toMatchObject({ status: 200 });
    expect(await sender.send(to(`https://other.test:${receiver.port}/`))).toMatchObject({ error: "tls" });
    expect(receiver.requests.length).toBe(1);
  });

  test.each(["http", "https"])("%s to a denied address is never asked for", async (scheme) => {
    const { proxy, sender } = await through({}, "", "169.254.169.254");
    expect(await sender.send(to(`${scheme}://hook.test/`))).toMatchObject({ error: "blocked_address" });
    expect(proxy.asked).toEqual([]);
  });

  test.each(["http", "https"])("%s goes, whatever the environment excepts from proxies", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { proxy, sender } = await through();
    const before = process.env.NO_PROXY;
    process.env.NO_PROXY = "*";
    try {
      const url = `${scheme}://hook.test:${receiver.port}/`;
      expect(await sender.send(to(url))).toMatchObject({ status: 200 });
      expect(proxy.asked.length).toBe(1);
    } finally {
      if (before === undefined) delete process.env.NO_PROXY;
      else process.env.NO_PROXY = before;
    }
  });

  test.each(["http", "https"])("%s brings the credentials to the proxy alone", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { sender } = await through({ credentials: "us@er:p:ss wörd" }, "us%40er:p%3Ass%20w%C3%B6rd@");
    const exchange = await sender.send(to(`${scheme}://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.head.toLowerCase()).not.toContain("proxy-auth");
  });
});

describe("a proxy that fails is told from a receiver that does", () => {
  test.each(["http", "https"])("%s: nobody listens", async (scheme) => {
    const proxy = await ForwardProxy.open();
    const { address } = proxy;
    proxy.close();
    const exchange = await senderVia(`http://user:hunter2@${address}`).send(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject({ status: 0, error: "proxy", responseBody: null });
    expect(JSON.stringify(exchange)).not.toContain("hunter2");
  });

  test.each(["http", "https"])("%s: it has no such name", async (scheme) => {
    const exchange = await senderVia("http://proxy.invalid:3128").send(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject({ status: 0, error: "proxy" });
  });

  test.each(["http", "https"])("%s: the credentials are wrong", async (scheme) => {
    const { sender } = await through({ credentials: "user:hunter2" }, "user:hunter3@");
    const exchange = await sender.send(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject({ status: 0, error: "proxy", responseBody: null });
    expect(JSON.stringify(exchange)).not.toMatch(/hunter|internal/);
  });

  test.each([502, 403, 500, 301])("https: it answers %d", async (status) => {
    const { sender } = await through({ refusal: answer(status, "no", { location: "http://127.0.0.1/" }) });
    expect(await sender.send(to("https://hook.test/"))).toMatchObject({ status: 0, error: "proxy" });
  });

  test.each([
    ["a tunnel is refused", "https", answer(502, "no"), "proxy"],
    ["what should open a tunnel is no HTTP", "https", "nonsense\r\n\r\n", "proxy"],
    ["there is no TLS in the tunnel", "https", "HTTP/1.1 200 X\r\n\r\n", "timeout"],
    [
      "it wants other credentials, and never ends",
      "http",
      "HTTP/1.1 407 X\r\ncontent-length: 9\r\n\r\n",
      "proxy",
    ],
  ])("no connection is left when %s", async (_, scheme, bytes, error) => {
    const proxy = opened(await Receiver.answering(bytes));
    const sender = senderVia(`http://127.0.0.1:${proxy.port}`);
    const exchange = await exchangeOf(sender, { ...to(`${scheme}://hook.test/`), timeoutMs: 500 });
    expect([exchange.status, exchange.error as string]).toEqual([0, error]);
    await eventually(() => proxy.open === 0);
  });

  test("https: it resets the connection", async () => {
    const proxy = opened(await Receiver.open({ onRequest: ({ socket }) => socket.resetAndDestroy() }));
    const sender = senderVia(`http://127.0.0.1:${proxy.port}`);
    expect(await sender.send(to("https://hook.test/"))).toMatchObject({ status: 0, error: "proxy" });
  });

  // Nothing tells such an answer from one of the receiver's.
  test("http: it answers 502", async () => {
    const receiver = await receiverOf();
    receiver.close();
    const { sender } = await through();
    const exchange = await sender.send(to(`http://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 502, error: null });
  });

  test.each(["http", "https"])("%s: it keeps silent", async (scheme) => {
    const silent = opened(await Receiver.open());
    const sender = senderVia(`http://127.0.0.1:${silent.port}`);
    const exchange = await sender.send({ ...to(`${scheme}://hook.test/`), timeoutMs: 150 });
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  });

  test("a receiver's own 407 is its answer where there is no proxy", async () => {
    const receiver = opened(await Receiver.answering(answer(407, "mine")));
    const sender = opened(createSender({ timeoutMs: 3_000 }));
    expect(await sender.send(to(receiver.url))).toMatchObject({
      status: 407,
      error: null,
      responseBody: "mine",
    });
  });

  test("a receiver's own 407 within a tunnel is its answer", async () => {
    const tls = { key: KEY, cert: CERTIFICATE };
    const receiver = opened(
      await Receiver.open({ tls, onRequest: ({ socket }) => socket.write(answer(407, "mine")) }),
    );
    const { sender } = await through();
    const exchange = await sender.send(to(`https://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 407, error: null, responseBody: "mine" });
  });
});
