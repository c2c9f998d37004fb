import { describe, expect, test } from "bun:test";
import { IDLE_TIMEOUT_SECONDS, serve } from "../../src/api/edge/serve";
import { createApp } from "../../src/resources/app";
import { atEnd } from "../support/at-end";
import { expectError } from "./client";
import { useService } from "./service";
import { answerTo, idleTime, patience, socketTo } from "./wire";

const hastyUrl = () => `http://127.0.0.1:${hasty.port}`;

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;
const serveFor = (idleTimeoutSeconds: number) =>
  serve(createApp(service.dependencies), { host: "127.0.0.1", port: 0, idleTimeoutSeconds });
/** A server with short timeouts. */
const hasty = serveFor(4);
/** A server whose timeouts are one of Bun's ticks longer. */
const patient = serveFor(8);
atEnd(() => Promise.all([hasty.close(), patient.close()]));
// Begun early: it takes Bun 12 s.
const idle = idleTime(`http://127.0.0.1:${patient.port}`);
const slowHead = patience(hastyUrl(), "GET /health/live HTTP/1.1\r\nHost: a\r\nX: ", "x", 250);

const headersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "y"]));

/** Number of headers that fetch adds: host, connection, user-agent, accept, accept-encoding. */
const FETCHES_OWN = 5;
/** Number of headers that the client adds: authorization, content-type. */
const CLIENTS_OWN = 2;

describe("the head of a request", () => {
  test("may have a URL of 8,192 characters, no more", async () => {
    const room = 8_192 - `${service.url}/v1/webhooks?limit=1&data.x=`.length;
    const get = (length: number) => client.get(`/webhooks?limit=1&data.x=${"y".repeat(length)}`);
    expect((await get(room)).status).toBe(200);
    expectError(await get(room + 1), 400, "BAD_REQUEST", "The URL is longer than 8192 characters");
  });

  test("may have headers of 10,240 characters, no longer", async () => {
    const get = (length: number) => client.get("/endpoints", { "x-long": "x".repeat(length) });
    expect((await get(10_240)).status).toBe(200);
    expectError(await get(10_241), 400, "BAD_REQUEST", "The header x-long is longer than 10240 characters");
  });

  test("may have 100 headers, no more", async () => {
    const get = (count: number) => client.get("/endpoints", headersOf(count - FETCHES_OWN - CLIENTS_OWN));
    expect((await get(100)).status).toBe(200);
    expectError(await get(101), 400, "BAD_REQUEST", "The request has more than 100 headers");
  });

  test("is checked only after the key", async () => {
    const answer = await client.get("/endpoints", { ...headersOf(150), authorization: "Bearer nobody's" });
    expectError(answer, 401, "UNAUTHORIZED");
  });

  // Bun's own answers, before any of our code: a status and nothing else, and the connection is closed.
  test.each([
    ["64 KB in a header", 431, `GET /health/live HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(65_536)}\r\n\r\n`],
    ["64 KB of URL", 431, `GET /${"a".repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ["1,000 headers", 431, `GET /health/live HTTP/1.1\r\nHost: a\r\n${"x: y\r\n".repeat(1_000)}\r\n`],
    ["no host", 400, "GET /health/live HTTP/1.1\r\n\r\n"],
    ["a header with NUL", 400, "GET /health/live HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"],
    ["a folded header", 400, "GET /health/live HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"],
    ["space before a colon", 400, "GET /health/live HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n"],
    ["no HTTP", 400, "EHLO mail.example\r\n\r\n"],
    ["HTTP/2", 400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["lines that end in LF", 505, "GET /health/live HTTP/1.1\nHost: a\n\n"],
  ])("is refused with %s", async (_, status, bytes) => {
    const answer = await answerTo(service.url, bytes);
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer).toEndWith("\r\nConnection: close\r\n\r\n");
  });

  test("is refused with trailers after its chunks", async () => {
    const { id } = await client.newEndpoint();
    const body = JSON.stringify({ endpoint_id: id, data: {} });
    const send = (end: string) => {
      const head = ["POST /v1/webhooks HTTP/1.1", "Host: a", `Authorization: Bearer ${client.key}`];
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
      return answerTo(
        service.url,
        [...head, "Transfer-Encoding: chunked", "", `${chunk}${end}`].join("\r\n"),
      );
    };
    expect(await send("\r\n")).toStartWith("HTTP/1.1 201 ");
    expect(await send("X-Check: 1\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });

  // Each contains a second request that a laxer reader would see.
  const SMUGGLED = "GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n";
  test.each([
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["two lengths", ["Content-Length: 0", `Content-Length: ${SMUGGLED.length}`], ""],
    ["a list of lengths", ["Content-Length: 0, 5"], ""],
    ["a length with a sign", ["Content-Length: +0"], ""],
    ["a negative length", ["Content-Length: -1"], ""],
    ["a length in hexadecimal", ["Content-Length: 0x0"], ""],
    ["another coding", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
    ["two codings", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
    ["chunks twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n"],
  ])("can't hide a second request behind %s", async (_, headers, body) => {
    const head = ["POST /health/live HTTP/1.1", "Host: a", ...headers, "", ""].join("\r\n");
    const answer = await answerTo(service.url, head + body + SMUGGLED);
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
  });
});

describe("a Host of a few characters", () => {
  const ask = (path: string, ...headers: string[]) => {
    const lines = [`GET ${path} HTTP/1.1`, "Host: api", "Connection: close", ...headers];
    return answerTo(service.url, `${lines.join("\r\n")}\r\n\r\n`);
  };

  test("does not tell anybody without a key which paths exist", async () => {
    for (const path of ["/v1/nope", "/v1/endpoints", "/v1/swagger/json"]) {
      expect(await ask(path)).toStartWith("HTTP/1.1 401 ");
    }
  });

  test("is accepted", async () => {
    expect(await ask("/v1/stats/", `Authorization: Bearer ${client.key}`)).toStartWith("HTTP/1.1 200 ");
  });
});

describe("an unknown method", () => {
  const ask = (method: string, ...headers: string[]) => {
    const lines = [`${method} /v1/endpoints HTTP/1.1`, "Host: a", "Connection: close", ...headers];
    return answerTo(service.url, `${lines.join("\r\n")}\r\n\r\n`);
  };

  test.each(["TRACE", "CONNECT", "PROPFIND", "OPTIONS"])("is not allowed: %s", async (method) => {
    const answer = await ask(method, `Authorization: Bearer ${client.key}`);
    expect(answer).toStartWith("HTTP/1.1 405 ");
    expect(answer).toContain('{"error":{"code":"METHOD_NOT_ALLOWED"');
    expect(answer).not.toContain(client.key);
  });

  test.each(["get", "CONSTRUCTOR", "__PROTO__"])(
    "closes the connection if HTTP does not know it: %s",
    async (method) => {
      expect(await ask(method)).not.toContain("HTTP/1.1 2");
    },
  );

  test("HEAD stays without a body", async () => {
    expect(await ask("HEAD", `Authorization: Bearer ${client.key}`)).toEndWith("\r\n\r\n");
  });
});

describe("a Host header", () => {
  const post = (host: string, path: string, text: string) => {
    const lines = [
      `POST /v1${path} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${client.key}`,
      `Idempotency-Key: host ${host}`,
      "Content-Type: application/json",
      "Connection: close",
      `Content-Length: ${text.length}`,
    ];
    return answerTo(service.url, `${lines.join("\r\n")}\r\n\r\n${text}`);
  };
  const body = '{"url":"https://example.com/"}';

  test("changes nothing if it is empty", async () => {
    expect(await post("", "/endpoints", body)).toStartWith("HTTP/1.1 201 ");
    expect(await post("", "/endpoints?", body)).toMatch(/^HTTP\/1.1 201 .*idempotency-replayed: true/is);
    expect(await post("", "/keys", "{}")).toStartWith("HTTP/1.1 409 ");
  });

  test.each(["a b", "[", "a:99999", "user@a"])(
    "is refused if it is malformed, and nothing is done: %p",
    async (host) => {
      const before = await client.get("/endpoints");
      expect(await post(host, "/endpoints", body)).toMatch(/^HTTP\/1.1 400 .*"The Host header must be/s);
      expect((await client.get("/endpoints")).text).toBe(before.text);
    },
  );
});

describe("keys with a meaning in JavaScript", () => {
  const KEYS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  test.each(KEYS)("%s in a payload is data like any other, byte for byte", async (key) => {
    const data = `{ "${key}":{"admin":true,"${key}":[1]}, "a":1,"a":2 ,"${key}":null}`;
    const body = `{"endpoint_id":"${endpointId}","data":${data}}`;
    const { id } = await client.expecting(201, client.post("/webhooks", body));
    const { text } = await client.get(`/webhooks/${id}`);
    expect(text).toContain(`"data":${data}`);
  });

  test.each(KEYS)("%s beside the fields of a body is refused like any other", async (key) => {
    const fields = { url: "https://a.example", description: "d", event_filter: "*" };
    const inherited = `"${key}":${JSON.stringify(fields)}`;
    for (const body of [`{${inherited}}`, `{"url":"https://b.example",${inherited}}`]) {
      expectError(await client.post("/endpoints", body), 400, "BAD_REQUEST", `${key} is not a field`);
    }
    expectError(
      await client.post("/webhooks", `{${inherited}}`),
      400,
      "BAD_REQUEST",
      `${key} is not a field`,
    );
    expect(Reflect.get({}, "admin")).toBeUndefined();
  });

  test("of two equal fields the last counts, in the check and in storage", async () => {
    const body = '{"url":"http://169.254.169.254/","url":"https://a.example/x"}';
    expect(await client.expecting(201, client.post("/endpoints", body))).toMatchObject({
      url: "https://a.example/x",
    });
    const reversed = '{"url":"https://a.example/x","url":"http://169.254.169.254/"}';
    expectError(await client.post("/endpoints", reversed), 400, "BAD_REQUEST", "url");
    const twice = `{"endpoint_id":"${endpointId}","data":{"n":1},"data":{"n":2.0}}`;
    const { id } = await client.expecting(201, client.post("/webhooks", twice));
    expect((await client.get(`/webhooks/${id}`)).text).toContain('"data":{"n":2.0}');
  });
});

describe("every answer", () => {
  test.each([
    ["a success", "/v1/endpoints", 200],
    ["no such thing", "/v1/endpoints/nope", 404],
    ["no such path", "/", 404],
    ["health", "/health/live", 200],
  ])("in JSON is neither cached nor sniffed: %s", async (_, path, status) => {
    const response = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${client.key}` },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.has("server")).toBe(false);
    expect(response.headers.has("x-powered-by")).toBe(false);
  });
});

/** A busy machine may cut connections off that much later. Without a limit they would stay open for longer than a minute. */
const BUSY_MS = 8_000;

describe("a slow client", () => {
  const post = (header: string) =>
    `POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key}\r\n${header}\r\n\r\n`;

  test("is cut off in its body, and others are served meanwhile", async () => {
    const slow = [
      patience(hastyUrl(), post("Content-Length: 1000"), "x", 250),
      patience(hastyUrl(), post("Transfer-Encoding: chunked"), "1\r\nx\r\n", 250),
    ];
    const response = await fetch(`${hastyUrl()}/health/live`);
    expect(response.status).toBe(200);
    for (const ms of await Promise.all(slow)) expect(ms).toBeLessThan(8_000 + BUSY_MS);
  });

  test("keeps its connection between requests for the configured time", async () => {
    // Bun counts in ticks of 4 s, the first of which may come at once: 8 s are 4 s to 12 s.
    const ms = await idle;
    expect(ms).toBeGreaterThan(3_500);
    expect(ms).toBeLessThan(12_000 + BUSY_MS);
  });

  test("is cut off in its head", async () => {
    expect(await slowHead).toBeLessThan(16_000 + BUSY_MS);
  });
});

test("a connection is kept for longer than balancers keep theirs", () => {
  expect(IDLE_TIMEOUT_SECONDS).toBeGreaterThan(75);
});

describe("a client that sends Expect: 100-continue", () => {
  const body = '{"url":"https://example.com/"}';
  const headOf = (expectation: string) =>
    [
      "POST /v1/endpoints HTTP/1.1",
      "Host: a",
      `Authorization: Bearer ${client.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `Expect: ${expectation}`,
    ].join("\r\n");

  test("is told to continue", async () => {
    const socket = socketTo(service.url);
    socket.write(`${headOf("100-continue")}\r\n\r\n`);
    expect(await socket.received("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    expect(await socket.received("example.com")).toContain("HTTP/1.1 201 ");
    socket.end();
  });

  // A limitation of Bun, in docs/limits.md: if this fails, it is gone.
  test("in other letters gets no interim answer, and its body is still accepted", async () => {
    const socket = socketTo(service.url);
    socket.write(`${headOf("100-Continue")}\r\n\r\n`);
    for (let i = 0; i < 20; i++) await client.get("/endpoints");
    expect(socket.text()).toBe("");
    socket.write(body);
    expect(await socket.received("example.com")).toStartWith("HTTP/1.1 201 ");
    socket.end();
  });
});
