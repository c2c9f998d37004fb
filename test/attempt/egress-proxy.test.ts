import { afterEach, describe, expect, test } from "bun:test";
import { parseProxyUrl } from "../../src/attempt/connections/egress-proxy";
import { until } from "../support/faults/until";
import { AUTHORITY, CERTIFICATE, EXPIRED_CERTIFICATE, KEY } from "./certificates";
import { ForwardProxy, type ForwardProxyOptions } from "./forward-proxy";
import { answer, Receiver, type ReceiverOptions } from "./receiver";
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
  return opened(await Receiver.open({ tls, onRequest }));
}

const onRequest: ReceiverOptions["onRequest"] = ({ socket }) => socket.write(answer(200, "there"));

async function through(options: ForwardProxyOptions = {}, user = "", address = "127.0.0.1") {
  const proxy = opened(await ForwardProxy.open(options));
  const sender = senderVia(`http://${user}${proxy.address}`, address);
  return { proxy, sender };
}

/** A sender that resolves every name to one address. */
function senderVia(egressProxy: string, address = "127.0.0.1") {
  const lookup = async () => [{ address, family: 4 as const }];
  return opened(createSender({ lookup, egressProxy, tls: { certificateAuthorities: AUTHORITY } }));
}

test("a proxy may have an IPv6 address, and needs no port and no credentials", () => {
  expect(parseProxyUrl("http://[::1]")).toEqual({ host: "::1", port: 80, authorization: null });
});

describe("through a proxy", () => {
  test.each(["http", "https"])("%s is tunnelled to the checked address", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { proxy, sender } = await through();
    for (let i = 0; i < 3; i++) {
      const exchange = await sender.sendOnce(to(`${scheme}://hook.test:${receiver.port}/x?y`));
      expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "there" });
    }
    expect(proxy.requestLines).toEqual([`CONNECT 127.0.0.1:${receiver.port} HTTP/1.1`]);
    expect(proxy.asked.join()).not.toContain("hook.test");
    expect(receiver.connections).toBe(1);
  });

  test.each(["http", "https"])("%s reaches its own virtual host, not that of the address", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { sender } = await through();
    await sender.sendOnce(to(`${scheme}://hook.test:${receiver.port}/x?y`));
    expect(receiver.requests[0]?.head).toMatch(/^POST \/x\?y /);
    const hosts = receiver.requests[0]?.head.match(/^host: .*$/gim);
    expect(hosts).toEqual([`host: hook.test:${receiver.port}`]);
  });

  test("the next address is tried if the tunnel to the first is refused", async () => {
    const receiver = opened(await Receiver.open({ host: "127.0.0.2", onRequest }));
    const addresses = ["127.0.0.3", "127.0.0.2"].map((address) => ({ address, family: 4 as const }));
    const proxy = opened(await ForwardProxy.open());
    const egressProxy = `http://${proxy.address}`;
    const sender = opened(createSender({ lookup: async () => addresses, egressProxy }));
    const exchange = await sender.sendOnce(to(`http://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 200, error: null });
    expect(proxy.requestLines.length).toBe(2);
  });

  test.each([
    ["for another name", CERTIFICATE, "other.test"],
    ["for a name where the URL has an address", CERTIFICATE, "127.0.0.1"],
    ["that has expired", EXPIRED_CERTIFICATE, "hook.test"],
  ])("a certificate %s is refused, and nothing sent", async (_, cert, host) => {
    const receiver = await receiverOf(cert);
    const { sender } = await through();
    const exchange = await sender.sendOnce(to(`https://${host}:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
    expect(receiver.requests.length).toBe(0);
  });

  test("a tunnel is used for no other name at the same address", async () => {
    const receiver = await receiverOf(CERTIFICATE);
    const { sender } = await through();
    expect(await sender.sendOnce(to(`https://hook.test:${receiver.port}/`))).toMatchObject({ status: 200 });
    expect(await sender.sendOnce(to(`https://other.test:${receiver.port}/`))).toMatchObject({ error: "tls" });
    expect(receiver.requests.length).toBe(1);
  });

  test.each(["http", "https"])("%s to a denied address is never requested", async (scheme) => {
    const { proxy, sender } = await through({}, "", "169.254.169.254");
    expect(await sender.sendOnce(to(`${scheme}://hook.test/`))).toMatchObject({ error: "blocked_address" });
    expect(proxy.asked).toEqual([]);
  });

  test.each(["http", "https"])("%s uses it, whatever NO_PROXY excludes", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { proxy, sender } = await through();
    const before = process.env.NO_PROXY;
    process.env.NO_PROXY = "*";
    try {
      const url = `${scheme}://hook.test:${receiver.port}/`;
      expect(await sender.sendOnce(to(url))).toMatchObject({ status: 200 });
      expect(proxy.asked.length).toBe(1);
    } finally {
      if (before === undefined) delete process.env.NO_PROXY;
      else process.env.NO_PROXY = before;
    }
  });

  test.each(["http", "https"])("%s sends the credentials only to the proxy", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { sender } = await through({ credentials: "us@er:p:ss wörd" }, "us%40er:p%3Ass%20w%C3%B6rd@");
    const exchange = await sender.sendOnce(to(`${scheme}://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.head.toLowerCase()).not.toContain("proxy-auth");
  });
});

describe("if the proxy resolves names", () => {
  /** A sender that resolves no name, and its proxy. */
  async function byName(options: ForwardProxyOptions = {}) {
    const proxy = opened(await ForwardProxy.open(options));
    const sender = opened(
      createSender({
        egressProxy: `http://${proxy.address}`,
        egressResolve: "proxy",
        lookup: () => Promise.reject(new Error("a name was looked up")),
        tls: { certificateAuthorities: AUTHORITY },
      }),
    );
    return { proxy, sender };
  }

  test.each(["http", "https"])("%s is tunnelled to the name", async (scheme) => {
    const receiver = await receiverOf(scheme === "https" ? CERTIFICATE : undefined);
    const { proxy, sender } = await byName({ allowed: /^hook\.test:/ });
    for (const name of ["hook.test", "HOOK.test", "hook.test."]) {
      const exchange = await sender.sendOnce(to(`${scheme}://${name}:${receiver.port}/`));
      expect(exchange).toMatchObject({ status: 200, error: null });
    }
    expect(new Set(proxy.requestLines)).toEqual(new Set([`CONNECT hook.test:${receiver.port} HTTP/1.1`]));
    expect(receiver.requests.length).toBe(3);
  });

  test("the certificate is checked against the name", async () => {
    const receiver = await receiverOf(CERTIFICATE);
    const { sender } = await byName();
    const exchange = await sender.sendOnce(to(`https://other.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls", errorDetail: "certificate_wrong_name" });
    expect(receiver.requests.length).toBe(0);
  });

  test("a name that the proxy does not permit is the proxy's failure", async () => {
    const receiver = await receiverOf();
    const { sender } = await byName({ allowed: /^hook\.test:/ });
    const exchange = await sender.sendOnce(to(`http://other.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "proxy", errorDetail: "tunnel_refused 403" });
    expect(receiver.connections).toBe(0);
  });

  test("an address in the URL is tunnelled to as such", async () => {
    const receiver = await receiverOf();
    const { proxy, sender } = await byName();
    expect(await sender.sendOnce(to(receiver.url))).toMatchObject({ status: 200 });
    expect(proxy.requestLines).toEqual([`CONNECT 127.0.0.1:${receiver.port} HTTP/1.1`]);
  });
});

describe("a proxy's failure is distinguished from a receiver's", () => {
  const SCHEMES = ["http", "https"];
  const failure = (errorDetail: string) => ({
    status: 0,
    error: "proxy" as const,
    errorDetail,
    responseBody: null,
  });

  test.each(SCHEMES)("%s: the connection is refused", async (scheme) => {
    const proxy = await ForwardProxy.open();
    const { address } = proxy;
    proxy.close();
    const exchange = await senderVia(`http://user:hunter2@${address}`).sendOnce(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject(failure("proxy_unreachable"));
    expect(JSON.stringify(exchange)).not.toContain("hunter2");
  });

  test.each(SCHEMES)("%s: it can't resolve the name", async (scheme) => {
    const exchange = await senderVia("http://proxy.invalid:3128").sendOnce(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject(failure("proxy_unreachable"));
  });

  test.each(SCHEMES)("%s: the credentials are wrong", async (scheme) => {
    const { sender } = await through({ credentials: "user:hunter2" }, "user:hunter3@");
    const exchange = await sender.sendOnce(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject(failure("proxy_credentials"));
    expect(JSON.stringify(exchange)).not.toMatch(/hunter|internal/);
  });

  const statuses = [502, 403, 500, 301].flatMap((status) =>
    SCHEMES.map((scheme) => [scheme, status] as const),
  );
  test.each(statuses)("%s: it answers %d", async (scheme, status) => {
    const { sender } = await through({ refusal: answer(status, "no", { location: "http://127.0.0.1/" }) });
    const exchange = await sender.sendOnce(to(`${scheme}://hook.test/`));
    expect(exchange).toMatchObject({
      ...failure(`tunnel_refused ${status}`),
      location: null,
      retryAfterMs: null,
      instruction: null,
    });
  });

  test.each([
    ["a tunnel is refused", answer(502, "no"), "proxy"],
    ["what should open a tunnel is no HTTP", "nonsense\r\n\r\n", "proxy"],
    ["there is no TLS in the tunnel", "HTTP/1.1 200 X\r\n\r\n", "timeout"],
    ["it wants other credentials, and never ends", "HTTP/1.1 407 X\r\ncontent-length: 9\r\n\r\n", "proxy"],
  ])("no connection is left if %s", async (_, bytes, error) => {
    const proxy = opened(await Receiver.answering(bytes));
    const sender = senderVia(`http://127.0.0.1:${proxy.port}`);
    const exchange = await exchangeOf(sender, { ...to("https://hook.test/"), timeoutMs: 1_000 });
    expect([exchange.status, exchange.error as string]).toEqual([0, error]);
    await until(() => proxy.open === 0);
  });

  test.each(SCHEMES)("%s: it resets the connection", async (scheme) => {
    const proxy = opened(await Receiver.open({ onRequest: ({ socket }) => socket.resetAndDestroy() }));
    const sender = senderVia(`http://127.0.0.1:${proxy.port}`);
    expect(await sender.sendOnce(to(`${scheme}://hook.test/`))).toMatchObject(failure("tunnel_refused"));
  });

  test.each(SCHEMES)("%s: it does not reach the receiver", async (scheme) => {
    const receiver = await receiverOf();
    const { port } = receiver;
    receiver.close();
    const { sender } = await through();
    const exchange = await sender.sendOnce(to(`${scheme}://hook.test:${port}/`));
    expect(exchange).toMatchObject(failure("tunnel_refused 502"));
  });

  test.each(SCHEMES)("%s: it does not answer, for one address or several", async (scheme) => {
    const silent = opened(await Receiver.open());
    for (const count of [1, 2]) {
      const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 as const }));
      const lookup = async () => addresses.slice(0, count);
      const sender = opened(createSender({ lookup, egressProxy: `http://127.0.0.1:${silent.port}` }));
      const exchange = await sender.sendOnce({ ...to(`${scheme}://hook.test/`), timeoutMs: 1_000 });
      expect(exchange).toMatchObject(failure("proxy_timeout"));
    }
    await until(() => silent.open === 0);
  });

  test("a receiver that does not answer in its tunnel is not the proxy's failure", async () => {
    const silent = opened(await Receiver.open());
    const { sender } = await through();
    const exchange = await sender.sendOnce({ ...to(`http://hook.test:${silent.port}/`), timeoutMs: 1_000 });
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
    expect(silent.requests.length).toBe(1);
  });

  test("without a proxy a receiver's 407 is its answer", async () => {
    const receiver = opened(await Receiver.answering(answer(407, "mine")));
    const sender = opened(createSender());
    expect(await sender.sendOnce(to(receiver.url))).toMatchObject({
      status: 407,
      error: null,
      responseBody: "mine",
    });
  });

  test.each(SCHEMES)("%s: a receiver's 407 within a tunnel is its answer", async (scheme) => {
    const tls = scheme === "https" ? { key: KEY, cert: CERTIFICATE } : undefined;
    const receiver = opened(
      await Receiver.open({ tls, onRequest: ({ socket }) => socket.write(answer(407, "mine")) }),
    );
    const { sender } = await through();
    const exchange = await sender.sendOnce(to(`${scheme}://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 407, error: null, responseBody: "mine" });
  });
});
