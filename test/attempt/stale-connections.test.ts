import { afterEach, describe, expect, test } from "bun:test";
import type { SendRequest } from "../../src/attempt/exchange";
import { until } from "../support/faults/until";
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";
import { answer, type Received, Receiver } from "./receiver";
import { createSender, exchangeOf, to, UNGUARDED } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

type Scheme = "http" | "https";

/** A receiver that runs `what` at the second request of a connection, with the requests it got. */
async function receiverThat(what: (request: Received) => void, scheme: Scheme = "http") {
  const used = new Set<unknown>();
  const tls = scheme === "https" ? { key: KEY, cert: CERTIFICATE } : undefined;
  const receiver = opened(
    await Receiver.open({
      tls,
      onRequest(request) {
        if (used.has(request.socket)) what(request);
        else request.socket.write(answer(200));
        used.add(request.socket);
      },
    }),
  );
  const sender = opened(
    createSender({
      lookup: async () => [{ address: "127.0.0.1", family: 4 }],
      tls: { certificateAuthorities: AUTHORITY },
    }),
  );
  const send = (more: Partial<SendRequest> = {}) =>
    sender.sendOnce({ ...to(`${scheme}://hook.test:${receiver.port}/`), ...more });
  return { receiver, sender, send };
}

describe("an idle connection that dies before the first byte of an answer", () => {
  for (const scheme of ["http", "https"] as const) {
    test.each(["resetAndDestroy", "end"] as const)(
      `fails nothing: the request is sent once more on a new one (${scheme}, %s)`,
      async (how) => {
        const { receiver, send } = await receiverThat(({ socket }) => void socket[how](), scheme);
        await send();
        for (const size of [9, 300_000]) {
          const body = "x".repeat(size);
          expect(await send({ body })).toMatchObject({ status: 200, error: null });
          expect(receiver.requests.slice(-2).map((each) => each.body.length)).toEqual([size, size]);
        }
        expect([receiver.requests.length, receiver.connections]).toEqual([5, 3]);
      },
    );
  }

  test("is replaced once: the result on the new one counts", async () => {
    let requests = 0;
    const receiver = opened(
      await Receiver.open({
        onRequest: ({ socket }) => (++requests === 1 ? socket.write(answer(200)) : socket.resetAndDestroy()),
      }),
    );
    const sender = opened(createSender());
    await sender.sendOnce(to(receiver.url));
    expect(await sender.sendOnce(to(receiver.url))).toMatchObject({ status: 0, error: "connection_reset" });
    expect(receiver.requests.length).toBe(3);
    expect(await sender.sendOnce(to(receiver.url))).toMatchObject({ error: "connection_reset" });
    // Without an idle connection there is no stale one.
    expect(receiver.requests.length).toBe(4);
  });

  test("has the request built again, and asks the guard again", async () => {
    const { receiver, send } = await receiverThat(({ socket }) => void socket.end());
    await send();
    let made = 0;
    let asked = 0;
    const headers = () => ({ "x-made": String(++made) });
    const guard = { ...UNGUARDED, tryStart: () => ++asked > 0 };
    await send({ headers, guard });
    expect(asked).toBe(2);
    expect(receiver.requests.slice(1).map(({ head }) => /x-made: (\d)/.exec(head)?.[1])).toEqual(["1", "2"]);
  });

  test("leaves the request unsent if the guard now refuses", async () => {
    const { receiver, sender, send } = await receiverThat(({ socket }) => void socket.end());
    await send();
    let asked = 0;
    expect(await send({ guard: { ...UNGUARDED, tryStart: () => ++asked === 1 } })).toBeNull();
    await until(() => receiver.open === 0);
    expect([receiver.requests.length, sender.inFlight]).toEqual([2, 0]);
  });

  test("is not retried after the deadline", async () => {
    const { receiver, send } = await receiverThat(() => {});
    await send();
    expect(await send({ timeoutMs: 1_000 })).toMatchObject({ status: 0, error: "timeout" });
    await until(() => receiver.open === 0);
    expect(receiver.requests.length).toBe(2);
  });
});

describe("an idle connection", () => {
  test.each(["0\r\n\r\n", "nonsense\r\n\r\n", "\r\n0\r\n\r\n"])(
    "whose first bytes begin no answer (%j) counts as dead",
    async (bytes) => {
      const { receiver, send } = await receiverThat(({ socket }) => socket.write(bytes));
      await send();
      expect(await send()).toMatchObject({ status: 200, error: null });
      expect(receiver.requests.length).toBe(3);
    },
  );

  test("that sends an empty line before the answer is usable", async () => {
    const { receiver, send } = await receiverThat(({ socket }) => socket.write(`\r\n${answer(201)}`));
    await send();
    expect(await send()).toMatchObject({ status: 201, error: null });
    expect(receiver.requests.length).toBe(2);
  });

  test.each([
    "H",
    "HTTP/1.1 200",
    "HTTP/1.1 103 X\r\n\r\n",
    "HTTP/1.1 200 X\r\ncontent-length: 5, 6\r\n\r\n",
  ])("on which an answer has begun (%j) has been read from: nothing is sent again", async (start) => {
    const { receiver, sender, send } = await receiverThat(({ socket }) => socket.end(start));
    await send();
    const url = `http://hook.test:${receiver.port}/`;
    const { status, error } = await exchangeOf(sender, to(url));
    expect(status).toBe(0);
    expect(error).toBeOneOf(["connection_reset", "protocol"]);
    expect(receiver.requests.length).toBe(2);
  });
});
