import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";
import { isInstalled, REAL_PROXIES, RealProxy } from "./real-proxy";
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

// The tests of a proxy that is not installed are reported as skipped.
describe.each(Object.entries(REAL_PROXIES))("through %s", (_, kind) => {
  describe.skipIf(!isInstalled(kind))("with its default configuration", () => {
    let proxy: RealProxy;
    beforeAll(async () => {
      proxy = await RealProxy.start(kind);
    });
    afterAll(() => proxy.stop());

    const sender = () =>
      opened(
        createSender({
          egressProxy: proxy.url,
          lookup: async () => [{ address: "127.0.0.1", family: 4 }],
          tls: { certificateAuthorities: AUTHORITY },
        }),
      );

    test.each(["http", "https"])("%s reaches its own virtual host", async (scheme) => {
      const tls = scheme === "https" ? { key: KEY, cert: CERTIFICATE } : undefined;
      const receiver = opened(
        await Receiver.open({
          tls,
          onRequest: ({ head, socket }) =>
            socket.write(answer(/^host: hook\.test:\d+$/im.test(head) ? 200 : 404)),
        }),
      );
      const sending = sender();
      for (let i = 0; i < 2; i++) {
        const exchange = await exchangeOf(sending, to(`${scheme}://hook.test:${receiver.port}/x?y`));
        expect(exchange).toMatchObject({ status: 200, error: null });
      }
      expect(receiver.connections).toBe(1);
      expect(receiver.requests[0]?.head).not.toMatch(/^(via|x-forwarded-for|proxy-)/im);
    });

    test("a name that the proxy resolves is reached", async () => {
      const receiver = opened(await Receiver.answering(answer(200)));
      const sending = opened(createSender({ egressProxy: proxy.url, egressResolve: "proxy" }));
      const exchange = await exchangeOf(sending, to(`http://localhost:${receiver.port}/`));
      expect(exchange).toMatchObject({ status: 200, error: null });
    });

    test("an unreachable receiver is the proxy's failure, not an answer", async () => {
      const receiver = await Receiver.open();
      const { port } = receiver;
      receiver.close();
      const exchange = await exchangeOf(sender(), to(`http://hook.test:${port}/`));
      expect(exchange).toMatchObject({ status: 0, error: "proxy" });
      expect(exchange.errorDetail).toMatch(/^tunnel_refused 5\d\d$/);
    });
  });
});
