import { afterEach, describe, expect, test } from "bun:test";
import { AUTHORITY, CERTIFICATE, KEY } from "../attempt/certificates";
import { ForwardProxy } from "../attempt/forward-proxy";
import { HostRouter } from "../attempt/host-router";
import { answer, Receiver, type ReceiverOptions } from "../attempt/receiver";
import { createSender, to } from "../attempt/sending";
import { until } from "../support/faults/until";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

async function backend(options: ReceiverOptions = {}): Promise<Receiver> {
  return opened(await Receiver.open({ onRequest: ({ socket }) => socket.write(answer(200)), ...options }));
}

/** A sender that resolves every name to this machine. */
function sender(options: Parameters<typeof createSender>[0] = {}) {
  const lookup = async () => [{ address: "127.0.0.1", family: 4 } as const];
  return opened(createSender({ lookup, ...options }));
}

/** A request of an account's endpoint. */
function of(account: string, url: string) {
  return { ...to(url), owner: { account, endpoint: `${account} ${url}`, isFailing: false } };
}

describe("behind a balancer that routes a connection by its first request", () => {
  async function twoBackends() {
    const [mallory, bob] = [await backend(), await backend()];
    const router = opened(await HostRouter.open({ "mallory.test": mallory.port, "bob.test": bob.port }));
    return { mallory, bob, router };
  }

  test.each(["bob", "mallory"])(
    "a name's webhooks reach only that name's backend, account %s",
    async (account) => {
      const { mallory, bob, router } = await twoBackends();
      const sending = sender();
      const urlOf = (name: string) => `http://${name}.test:${router.port}/`;
      for (let i = 0; i < 3; i++) {
        await sending.sendOnce(of("mallory", urlOf("mallory")));
        expect(await sending.sendOnce(of(account, urlOf("bob")))).toMatchObject({ status: 200 });
      }
      expect([mallory.requests.length, bob.requests.length]).toEqual([3, 3]);
      // Each is used again, for its own name.
      expect([mallory.connections, bob.connections]).toEqual([1, 1]);
    },
  );

  test("even through a proxy, whose connections each lead to one backend", async () => {
    const { mallory, bob, router } = await twoBackends();
    const proxy = opened(await ForwardProxy.open());
    const sending = sender({ egressProxy: `http://${proxy.address}` });
    for (let i = 0; i < 3; i++) {
      await sending.sendOnce(of("mallory", `http://mallory.test:${router.port}/`));
      const exchange = await sending.sendOnce(of("bob", `http://bob.test:${router.port}/`));
      expect(exchange).toMatchObject({ status: 200 });
    }
    expect([mallory.requests.length, bob.requests.length]).toEqual([3, 3]);
  });
});

test("a TLS connection serves one Host, even if another is in the same certificate", async () => {
  const tls = { key: KEY, cert: CERTIFICATE };
  const receiver = await backend({ tls });
  const sending = sender({ tls: { certificateAuthorities: AUTHORITY } });
  for (const name of ["hook.test", "hook.test."]) {
    const url = `https://${name}:${receiver.port}/`;
    expect(await sending.sendOnce(of("bob", url))).toMatchObject({ status: 200 });
  }
  expect(receiver.connections).toBe(2);
});

describe("at an address that two accounts share under one name", () => {
  test("no request uses the other's connection", async () => {
    const receiver = await backend();
    const sending = sender();
    for (const account of ["mallory", "bob", "mallory", "bob"])
      await sending.sendOnce(of(account, receiver.url));
    expect(receiver.connections).toBe(2);
    const sockets = receiver.requests.map(({ socket }) => socket);
    expect(sockets[0]).toBe(sockets[2]);
    expect(sockets[1]).toBe(sockets[3]);
  });

  test("a path that sends surplus answers breaks no request of the other account", async () => {
    const receiver = await backend({
      onRequest({ head, socket }) {
        socket.write(answer(head.startsWith("POST /evil") ? 200 : 201));
        // Late enough to meet the next request.
        if (head.startsWith("POST /evil")) setTimeout(() => socket.write(answer(500)), 5);
      },
    });
    const sending = sender();
    for (let i = 0; i < 20; i++) {
      await sending.sendOnce(of("mallory", `http://127.0.0.1:${receiver.port}/evil`));
      const exchange = await sending.sendOnce(of("bob", receiver.url));
      expect(exchange).toMatchObject({ status: 201, error: null });
      await Bun.sleep(i % 7);
    }
  });

  test("a path that closes its connections does not end the reuse of the other's", async () => {
    const receiver = await backend({
      onRequest({ head, socket }) {
        socket.write(answer(200), () => void (head.startsWith("POST /evil") && socket.end()));
      },
    });
    const sending = sender();
    for (let i = 0; i < 5; i++) {
      await sending.sendOnce(of("mallory", `http://127.0.0.1:${receiver.port}/evil`));
      await sending.sendOnce(of("bob", receiver.url));
      await until(() => receiver.open === 1);
    }
    const bobs = receiver.requests.filter(({ head }) => head.startsWith("POST /hook"));
    expect(new Set(bobs.map(({ socket }) => socket)).size).toBe(1);
  });
});
