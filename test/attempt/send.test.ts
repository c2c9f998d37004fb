import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { until } from "../support/faults/until";
import { ManualClock } from "./manual-clock";
import { answer, Receiver, type ReceiverOptions } from "./receiver";
import { createSender, exchangeOf, PATIENT_MS, type TestSender, to, UNGUARDED } from "./sending";

const DEADLINE_MS = 400;
/** A busy machine may exceed a deadline by this much. Without a deadline these exchanges would never end. */
const SLACK_MS = 5_000;

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

/** Returns the exchange of one request with a receiver that behaves like this. */
async function exchangeWith(options: ReceiverOptions, timeoutMs = PATIENT_MS) {
  const receiver = opened(await Receiver.open(options));
  const startedAt = performance.now();
  const exchange = await exchangeOf(sender({ timeoutMs }), to(receiver.url));
  return { receiver, exchange, tookMs: performance.now() - startedAt };
}

function answering(bytes: string | Uint8Array) {
  return exchangeWith({ onRequest: ({ socket }) => socket.write(bytes) });
}

/** Writes as fast as the other side reads, until the connection is closed. */
function pour(socket: Socket, unit: string): void {
  const chunk = Buffer.from(unit.repeat(Math.ceil(16_384 / unit.length)));
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
    if (!socket.destroyed) socket.once("drain", more);
  };
  more();
}

describe("an answer", () => {
  test("returns status, body and duration", async () => {
    const { exchange } = await answering(answer(200, "thanks"));
    expect(exchange).toEqual({
      acknowledged: true,
      status: 200,
      error: null,
      errorDetail: null,
      location: null,
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      responseBody: "thanks",
      responseHeaders: "content-length: 6",
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      timing: { lookupMs: null, connectMs: expect.any(Number), tlsMs: null, firstByteMs: expect.any(Number) },
      request: expect.objectContaining({ userAgent: "hermod/test", contentLength: 7 }),
      retryAfterMs: null,
      instruction: null,
    });
    expect(Number.isInteger(exchange.durationMs)).toBe(true);
    expect(exchange.acknowledged).toBe(true);
  });

  test("of 204 has an empty body, and surplus bytes are not taken for the next answer", async () => {
    const receiver = opened(await Receiver.answering(`HTTP/1.1 204 X\r\n\r\n${answer(500, "evil")}`));
    const sending = sender();
    for (let i = 0; i < 3; i++) {
      const exchange = await sending.sendOnce(to(receiver.url));
      expect(exchange).toMatchObject({ status: 204, error: null, responseBody: "" });
    }
  });

  test.each([301, 302, 303, 307, 308])("%d is not followed", async (status) => {
    const elsewhere = opened(await Receiver.answering(answer(200)));
    const { exchange } = await answering(answer(status, "moved", { location: elsewhere.url }));
    expect(exchange).toMatchObject({ status, error: null, responseBody: "moved" });
    expect(exchange.acknowledged).toBe(false);
    expect(elsewhere.connections).toBe(0);
  });

  test.each([400, 404, 410, 429, 500, 503, 600, 999])("%d is a failure", async (status) => {
    const { exchange } = await answering(answer(status, "no"));
    expect(exchange).toMatchObject({ status, error: null, responseBody: "no" });
    expect(exchange.acknowledged).toBe(false);
  });

  test("in chunks is joined", async () => {
    const { exchange } = await answering(
      "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    );
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "abc" });
  });

  test("that ends with the connection is whole", async () => {
    const { exchange } = await exchangeWith({
      onRequest: ({ socket }) => socket.end("HTTP/1.1 200 X\r\n\r\nabc"),
    });
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "abc" });
  });

  test("in gzip is stored compressed", async () => {
    const packed = Bun.gzipSync(Buffer.alloc(5_000_000, "a"));
    const head = `HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`;
    const { exchange } = await answering(Buffer.concat([Buffer.from(head), packed]));
    expect(exchange).toMatchObject({ status: 200, error: null });
    expect(exchange.responseBody).not.toContain("aaaa");
    expect(exchange.responseBody?.startsWith("\x1f")).toBe(true);
  });

  test("is stored without NUL, and with invalid UTF-8 replaced", async () => {
    const body = Buffer.from([0x61, 0, 0xff, 0x62, 0, 0xc3]);
    const head = `HTTP/1.1 200 X\r\ncontent-length: ${body.length}\r\n\r\n`;
    const short = await answering(Buffer.concat([Buffer.from(head), body]));
    expect(short.exchange.responseBody).toBe("a\ufffdb\ufffd");
    const long = Buffer.concat([body, Buffer.alloc(2_000, "c")]);
    const streamed = await answering(
      Buffer.concat([Buffer.from("HTTP/1.1 200 X\r\nconnection: close\r\n\r\n"), long]),
    );
    expect(streamed.exchange.responseBody?.startsWith("a\ufffdb\ufffdc")).toBe(true);
  });

  test("is read up to 1 KiB, with no character cut in two", async () => {
    const { exchange } = await answering(answer(200, `a${"é".repeat(1_000)}`));
    expect(exchange.responseBody).toBe(`a${"é".repeat(511)}`);
    const exact = await answering(answer(200, "b".repeat(1_024)));
    expect(exact.exchange.responseBody).toBe("b".repeat(1_024));
    const one = await answering(answer(200, "b".repeat(1_025)));
    expect(one.exchange.responseBody).toBe("b".repeat(1_024));
  });

  test("after interim answers is the final one", async () => {
    const { exchange } = await answering(
      `HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 H\r\nlink: x\r\n\r\n${answer(200, "ok")}`,
    );
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "ok" });
  });

  test("with a length beside chunks is read by its chunks", async () => {
    const { exchange, tookMs } = await exchangeWith({
      onRequest({ socket }) {
        socket.write("HTTP/1.1 200 X\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n");
        pour(socket, `10\r\n${"a".repeat(16)}\r\n`);
      },
    });
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "a".repeat(1_024) });
    expect(tookMs).toBeLessThan(PATIENT_MS);
  });

  test("may have 64 KB of headers", async () => {
    const headers = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`x-${i}`, "a".repeat(1_000)]));
    const { exchange } = await answering(answer(200, "ok", headers));
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "ok" });
  });

  test.each([
    ["120", 120_000],
    ["999999", 3_600_000],
    ["soon", null],
  ])("returns the wait of Retry-After: %s", async (value, ms) => {
    const { exchange } = await answering(answer(503, "", { "retry-after": value }));
    expect(exchange.retryAfterMs).toBe(ms);
  });
});

describe("a failure", () => {
  test("the connection is refused", async () => {
    const receiver = await Receiver.open();
    const { url } = receiver;
    receiver.close();
    const exchange = await sender().sendOnce(to(url));
    expect(exchange).toMatchObject({ status: 0, error: "connection_refused", responseBody: null });
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ["reset", (socket) => socket.resetAndDestroy()],
    ["close", (socket) => socket.end()],
    [
      "reset within the head",
      (socket) => socket.write("HTTP/1.1 200 X\r\ncont", () => socket.resetAndDestroy()),
    ],
  ])("%s before an answer", async (_, act) => {
    const { exchange } = await exchangeWith({ onRequest: ({ socket }) => void act(socket) });
    expect(exchange).toMatchObject({ status: 0, error: "connection_reset", responseBody: null });
  });

  test.each([
    "HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nabc",
    "HTTP/1.1 200 X\r\ncontent-length: 5000\r\n\r\nabc",
    "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
  ])("a body that breaks off is recorded, and a 2xx still counts: %j", async (start) => {
    const { exchange } = await exchangeWith({
      onRequest: ({ socket }) => socket.write(start, () => setTimeout(() => socket.resetAndDestroy(), 30)),
    });
    expect(exchange).toMatchObject({
      status: 200,
      error: "connection_reset",
      errorDetail: "answer_cut_short",
    });
    expect(exchange.responseBody).toMatch(/^abc?$/);
    expect(exchange.acknowledged).toBe(true);
  });

  test.each([
    ["not_http", "<html></html>"],
    ["not_http", "this is not HTTP\r\n\r\n"],
    ["not_http", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["length_invalid", "HTTP/1.1 200 X\r\ncontent-length: -5\r\n\r\n"],
    ["length_invalid", "HTTP/1.1 200 X\r\ncontent-length: 5\r\ncontent-length: 3\r\n\r\nabcde"],
    ["length_invalid", "HTTP/1.1 200 X\r\ncontent-length : 5\r\n\r\nabcde"],
    ["switched_protocol", "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
    ["status_invalid", "HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n"],
    ["status_invalid", "HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n"],
    ["too_many_fields", `HTTP/1.1 200 X\r\n${"x:y\r\n".repeat(257)}\r\n`],
  ])("invalid HTTP, with the reason %s: %j", async (errorDetail, bytes) => {
    const { exchange } = await answering(bytes);
    expect(exchange).toMatchObject({ status: 0, error: "protocol", errorDetail, responseBody: null });
  });

  test("an invalid chunk", async () => {
    const { exchange } = await answering("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n");
    expect(exchange).toMatchObject({
      status: 200,
      error: "protocol",
      errorDetail: "chunks_invalid",
      responseBody: "",
      acknowledged: true,
    });
  });

  test("endless headers", async () => {
    const { exchange } = await exchangeWith({
      onRequest({ socket }) {
        socket.write("HTTP/1.1 200 X\r\n");
        pour(socket, `x: ${"a".repeat(60_000)}\r\n`);
      },
    });
    expect(exchange).toMatchObject({ status: 0, error: "response_too_large" });
  });

  test("large endless heads that exceed the memory limit; another is read once they are gone", async () => {
    const large = `HTTP/1.1 200 X\r\nx: ${"a".repeat(200_000)}`;
    const rest = "\r\ncontent-length: 0\r\n\r\n";
    const receiver = opened(
      await Receiver.open({
        onRequest({ socket, head }) {
          const isWhole = head.startsWith("POST /whole");
          socket.write(large, () => isWhole && setTimeout(() => socket.write(rest), 20));
        },
      }),
    );
    const sending = sender({ timeoutMs: 3_000 });
    const hanging = await Promise.all(
      Array.from({ length: 500 }, () => exchangeOf(sending, to(receiver.url))),
    );
    const errors = Map.groupBy(hanging, ({ error }) => error);
    expect([...errors.keys()].sort()).toEqual(["response_too_large", "timeout"]);
    const whole = await sending.sendOnce({
      ...to(new URL("/whole", receiver.url).href),
      timeoutMs: PATIENT_MS,
    });
    expect(whole).toMatchObject({ status: 200, error: null });
  });

  test("endless interim answers", async () => {
    const { exchange } = await exchangeWith({
      onRequest: ({ socket }) => pour(socket, "HTTP/1.1 103 H\r\n\r\n"),
    });
    expect(exchange).toMatchObject({ status: 0, error: "response_too_large" });
  });

  test("plain HTTP where TLS is expected", async () => {
    const receiver = opened(
      await Receiver.open({ onConnection: (socket) => void socket.end("HTTP/1.1 400 X\r\n\r\n") }),
    );
    const exchange = await sender().sendOnce(to(`https://127.0.0.1:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "tls" });
  });

  test("an unknown name", async () => {
    const exchange = await sender().sendOnce(to("http://nobody.invalid/"));
    expect(exchange).toMatchObject({ status: 0, error: "dns" });
  });

  test.each(["nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "data:,x", "s3://bucket/key", "blob:x"])(
    "%s is not a target",
    async (url) => {
      expect(await sender().sendOnce(to(url))).toMatchObject({ status: 0, error: "invalid_url" });
    },
  );

  test("a denied address is not connected to", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const strict = sender({ production: true });
    expect(await strict.sendOnce(to(receiver.url))).toMatchObject({ status: 0, error: "blocked_address" });
    const named = sender({ production: true, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    expect(await named.sendOnce(to(`http://rebound.test:${receiver.port}/`))).toMatchObject({
      error: "blocked_address",
    });
    expect(receiver.connections).toBe(0);
  });
});

describe("the deadline", () => {
  const slow: [string, 0 | 200, ReceiverOptions][] = [
    ["accepts and keeps silent", 0, {}],
    [
      "drips its head",
      0,
      { onRequest: ({ socket }) => drip(socket, "HTTP/1.1 200 X\r\nx: aaaaaaaaaaaaaaaaaaaaaaa") },
    ],
    [
      "sends interim answers one by one",
      0,
      { onRequest: ({ socket }) => drip(socket, "HTTP/1.1 103 H\r\n\r\n", "HTTP/1.1 103 H\r\n\r\n") },
    ],
    [
      "announces a short body and keeps it",
      200,
      { onRequest: ({ socket }) => socket.write("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nabc") },
    ],
    [
      "drips a short body",
      200,
      { onRequest: ({ socket }) => drip(socket, "HTTP/1.1 200 X\r\ncontent-length: 900\r\n\r\n", "a") },
    ],
    [
      "drips a body of unknown length",
      200,
      { onRequest: ({ socket }) => drip(socket, "HTTP/1.1 200 X\r\n\r\n", "a") },
    ],
    [
      "announces both a length and chunks",
      200,
      {
        onRequest: ({ socket }) =>
          drip(
            socket,
            "HTTP/1.1 200 X\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
            "1\r\na\r\n",
          ),
      },
    ],
  ];

  /** Writes the start at once, then `unit` ten times a second. */
  function drip(socket: Socket, start: string, unit = "a"): void {
    socket.write(start);
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(unit)), 100);
  }

  test.each(slow)("ends an exchange with a receiver that %s", async (_, status, options) => {
    const { receiver, exchange, tookMs } = await exchangeWith(options, DEADLINE_MS);
    expect(exchange).toMatchObject({ status, error: "timeout", acknowledged: status === 200 });
    expect(tookMs).toBeWithin(DEADLINE_MS - 5, DEADLINE_MS + SLACK_MS);
    expect(exchange.durationMs).toBeWithin(DEADLINE_MS - 5, DEADLINE_MS + SLACK_MS);
    await until(() => receiver.open === 0);
  });

  test("ends an exchange with a receiver that does not read", async () => {
    const receiver = opened(await Receiver.open({ onConnection: (socket) => void socket.pause() }));
    const startedAt = performance.now();
    const request = { ...to(receiver.url), body: "x".repeat(20_000_000) };
    const exchange = await sender({ timeoutMs: DEADLINE_MS }).sendOnce(request);
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + SLACK_MS);
  });

  test("ends a TLS handshake that hangs", async () => {
    const receiver = opened(await Receiver.open());
    const sending = sender({ timeoutMs: DEADLINE_MS });
    const exchange = await sending.sendOnce(to(`https://127.0.0.1:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  });

  test("ends a look-up that hangs", async () => {
    const exchange = await exchangeOf(
      sender({ timeoutMs: DEADLINE_MS, lookup: () => new Promise(() => {}) }),
      to("http://slow.test/"),
    );
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
    expect(exchange.durationMs).toBeWithin(DEADLINE_MS - 5, DEADLINE_MS + SLACK_MS);
  });

  test("can be set per request", async () => {
    const receiver = opened(await Receiver.open());
    const exchange = await exchangeOf(sender(), { ...to(receiver.url), timeoutMs: 100 });
    expect(exchange.error).toBe("timeout");
    expect(exchange.durationMs).toBeWithin(95, 100 + SLACK_MS);
  });

  test("does not wait for the rest of a body after its first KiB", async () => {
    const { receiver, exchange, tookMs } = await exchangeWith({
      onRequest: ({ socket }) => socket.write(`HTTP/1.1 200 X\r\n\r\n${"a".repeat(1_024)}`),
    });
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "a".repeat(1_024) });
    expect(tookMs).toBeLessThan(PATIENT_MS);
    await until(() => receiver.open === 0);
  });

  test("does not apply to an endless body, which is dropped", async () => {
    let sent = 0;
    const { exchange, receiver } = await exchangeWith({
      onRequest({ socket }) {
        socket.write("HTTP/1.1 200 X\r\n\r\n");
        const timer = setInterval(() => {
          if (socket.destroyed) return clearInterval(timer);
          socket.write("a".repeat(500));
          sent += 500;
        }, 5);
      },
    });
    expect(exchange).toMatchObject({ status: 200, error: null, responseBody: "a".repeat(1_024) });
    await until(() => receiver.open === 0);
    expect(sent).toBeLessThan(100_000);
  });
});

describe("the request", () => {
  test("is a POST with our headers, the Host of the URL and the body as it is", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const body = '{"n":12345678901234567890,"é":"\\u0000"}';
    const url = `http://hook.test:${receiver.port}/a%20b?c=d%2Fe#dropped`;
    const sending = sender({ lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    const headers = () => ({ "content-type": "application/json", "webhook-id": "wh_1" });
    await sending.sendOnce({ ...to(url), headers, body });
    const head = receiver.requests[0]?.head.toLowerCase().split("\r\n") ?? [];
    expect(head[0]).toBe("post /a%20b?c=d%2fe http/1.1");
    expect(head).toContain(`host: hook.test:${receiver.port}`);
    expect(head).toContain("user-agent: hermod/test");
    expect(head).toContain("webhook-id: wh_1");
    expect(head).toContain("content-type: application/json");
    expect(head.some((line) => line.startsWith("accept-encoding"))).toBe(false);
    expect(Buffer.from(receiver.requests[0]?.body ?? "", "latin1").toString()).toBe(body);
  });

  test("is sent over IPv6 too", async () => {
    const receiver = opened(
      await Receiver.open({ host: "::1", onRequest: ({ socket }) => socket.write(answer(200, "six")) }),
    );
    const exchange = await sender().sendOnce(to(`http://[::1]:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 200, responseBody: "six" });
  });

  test("goes to another address of the name if the first refuses", async () => {
    const receiver = opened(await Receiver.answering(answer(200, "ok")));
    const sending = sender({
      lookup: async () => [
        { address: "::1", family: 6 },
        { address: "127.0.0.1", family: 4 },
      ],
    });
    for (let i = 0; i < 2; i++) {
      const exchange = await sending.sendOnce(to(`http://localhost:${receiver.port}/`));
      expect(exchange).toMatchObject({ status: 200, error: null });
    }
    expect(receiver.requests.length).toBe(2);
  });

  test("goes to another address of the name even if that failed shortly before", async () => {
    const receiver = opened(await Receiver.answering(answer(200, "ok")));
    const { port } = receiver;
    const url = `http://localhost:${port}/`;
    const sending = sender({
      lookup: async () => [
        { address: "::1", family: 6 },
        { address: "127.0.0.1", family: 4 },
      ],
    });
    receiver.close();
    expect(await sending.sendOnce(to(url))).toMatchObject({ error: "connection_refused" });
    opened(await Receiver.open({ port, onRequest: ({ socket }) => socket.write(answer(200)) }));
    expect(await sending.sendOnce(to(url))).toMatchObject({ status: 200, error: null });
  });

  test.each([
    ["times out", { path: "/hangs", timeoutMs: DEADLINE_MS }, { error: "timeout" }],
    ["is answered with nonsense", { path: "/nonsense" }, { error: "protocol" }],
    ["was not to start", { path: "/", guard: { ...UNGUARDED, tryStart: () => false } }, null],
  ])("that %s does not count against the address", async (_how, { path, ...request }, result) => {
    const receiver = opened(
      await Receiver.open({
        onRequest: ({ socket, head }) => {
          if (head.startsWith("POST /nonsense")) socket.write("nonsense\r\n\r\n");
          else if (!head.startsWith("POST /hangs")) socket.write(answer(200));
        },
      }),
    );
    const sending = sender({
      lookup: async () => [
        { address: "::1", family: 6 },
        { address: "127.0.0.1", family: 4 },
      ],
    });
    const send = (where: string, more = {}) =>
      sending.sendOnce({ ...to(`http://localhost:${receiver.port}${where}`), ...more });
    expect(await send("/")).toMatchObject({ status: 200 });
    expect({ result: await send(path, request) }).toMatchObject({ result });
    for (let i = 0; i < 4; i++) expect(await send("/")).toMatchObject({ status: 200, error: null });
  });

  test("that may have arrived is not sent to another address of the name", async () => {
    const receiver = opened(
      await Receiver.open({ host: "::", onRequest: ({ socket }) => void socket.resetAndDestroy() }),
    );
    const sending = sender({
      lookup: async () => [
        { address: "::1", family: 6 },
        { address: "127.0.0.1", family: 4 },
      ],
    });
    const exchange = await sending.sendOnce(to(`http://localhost:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 0, error: "connection_reset" });
    expect(receiver.requests.length).toBe(1);
  });

  test("leaves no timer behind", async () => {
    const receiver = opened(await Receiver.answering(answer(200)));
    const clock = new ManualClock();
    const sending = sender({ clock });
    await Promise.all([sending.sendOnce(to(receiver.url)), sending.sendOnce(to("http://127.0.0.1:1/"))]);
    // The idle connection has a timer, which closes it in time.
    expect(clock.pending).toBe(1);
    sending.close();
    expect(clock.pending).toBe(0);
  });

  test("ignores the environment's proxy variables", async () => {
    const receiver = opened(await Receiver.answering(answer(200, "direct")));
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = "http://127.0.0.1:9";
    try {
      expect(await sender().sendOnce(to(receiver.url))).toMatchObject({
        status: 200,
        responseBody: "direct",
      });
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
  });
});
