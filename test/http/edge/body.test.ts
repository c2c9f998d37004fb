import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { answerOf, expectError } from "../client";
import { startTestService, useService } from "../service";

const LIMIT = 1_048_576;

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;

/** Returns the body of a send with exactly `bytes` bytes. */
function sendOf(bytes: number): string {
  const [head, tail] = [`{"endpoint_id":"${endpointId}","data":{"x":"`, '"}}'];
  return head + "x".repeat(bytes - head.length - tail.length) + tail;
}

/** Sends a request as raw bytes. Returns the status and the body of the first answer. */
function exchange(
  head: string[],
  chunks: Iterable<string | Uint8Array>,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      for (const chunk of chunks) socket.write(chunk);
    });
    socket.on("error", reject);
    socket.on("data", (data) => {
      received += data;
      const end = received.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
      if (end === -1 || !(received.length >= end + 4 + length)) return;
      socket.destroy();
      resolve({ status: Number(received.slice(9, 12)), text: received.slice(end + 4) });
    });
  });
}

function headOf(path: string, ...headers: string[]): string[] {
  return requestHead("POST", path, ...headers);
}

function requestHead(method: string, path: string, ...headers: string[]): string[] {
  return [`${method} /v1${path} HTTP/1.1`, "Host: test", `Authorization: Bearer ${client.key}`, ...headers];
}

function* chunked(bytes: number): Generator<string> {
  const size = 32_768;
  const chunk = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;
  for (let sent = 0; sent < bytes; sent += size) yield chunk;
}

const TOO_LARGE =
  '{"error":{"code":"PAYLOAD_TOO_LARGE","message":"The request body is larger than 1048576 bytes"}}';

describe("a body of 1 MB", () => {
  test("is accepted", async () => {
    const answer = await client.post("/webhooks", sendOf(LIMIT));
    expect(answer.status).toBe(201);
  });

  test("is accepted in chunks", async () => {
    const body = new TextEncoder().encode(sendOf(LIMIT));
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 65_536) controller.enqueue(body.subarray(at, at + 65_536));
        controller.close();
      },
    });
    const response = await fetch(`${service.url}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
      body: stream,
    });
    expect(response.status).toBe(201);
  });
});

describe("a larger body", () => {
  test.each([
    ["POST", "/webhooks"],
    ["POST", "/endpoints"],
    ["POST", "/keys"],
    ["POST", "/admin/accounts"],
    ["PATCH", "/endpoints/ep_01k9x3v5q8e7bt2m4n6p8r0s2t"],
    ["PUT", "/event-types/a.b/schema"],
    ["DELETE", "/endpoints/ep_01k9x3v5q8e7bt2m4n6p8r0s2t"],
  ])("is refused at %s %s", async (method, path) => {
    const answer = await client.ask(method, path, sendOf(LIMIT + 1));
    expectError(answer, 413, "PAYLOAD_TOO_LARGE");
  });

  test("is refused by its Content-Length, before any of it has arrived", async () => {
    const head = headOf("/webhooks", "Content-Length: 5000000000");
    expect(await exchange(head, [])).toEqual({ status: 413, text: TOO_LARGE });
  });

  test.each([
    ["/webhooks", "application/json"],
    ["/endpoints", "application/json"],
    ["/endpoints", "text/plain"],
  ])("is refused at %s while it arrives in endless chunks, as %s", async (path, type) => {
    const head = headOf(path, "Transfer-Encoding: chunked", `Content-Type: ${type}`);
    expect(await exchange(head, chunked(LIMIT + 65_536))).toEqual({ status: 413, text: TOO_LARGE });
  });

  test.each([
    ["DELETE", "/endpoints/ep_01k9x3v5q8e7bt2m4n6p8r0s2t"],
    ["DELETE", "/webhooks/nope/payload"],
    ["DELETE", "/event-types/a.b/schema"],
    ["DELETE", "/keys/nope"],
    ["PUT", "/webhooks"],
    ["POST", "/nope"],
  ])("is refused in chunks at %s %s too, where none is wanted", async (method, path) => {
    const head = requestHead(method, path, "Transfer-Encoding: chunked");
    expect(await exchange(head, chunked(LIMIT + 65_536))).toEqual({ status: 413, text: TOO_LARGE });
  });

  test("deletes nothing", async () => {
    const { id } = await client.newEndpoint();
    const head = requestHead("DELETE", `/endpoints/${id}`, "Transfer-Encoding: chunked");
    expect((await exchange(head, chunked(LIMIT + 65_536))).status).toBe(413);
    expect((await client.get(`/endpoints/${id}`)).status).toBe(200);
  });

  test("leaves the connection usable", async () => {
    for (let i = 0; i < 3; i++) {
      expect((await client.post("/webhooks", sendOf(8 * LIMIT))).status).toBe(413);
      expect((await client.get("/endpoints")).status).toBe(200);
    }
  });
});

describe("a body that is not JSON", () => {
  const POSTS = ["/webhooks", "/endpoints", "/keys", "/admin/accounts"];
  const BODIES: [string, string | Uint8Array, RegExp][] = [
    ["nothing", "", /empty/],
    ["cut off", '{"url":', /not valid JSON/],
    ["with a comma too much", '{"url":"https://example.com",}', /not valid JSON/],
    ["two values", "{}{}", /not valid JSON/],
    ["NaN", '{"url":NaN}', /not valid JSON/],
    ["an array", "[]", /must be a JSON object/],
    ["a string", '"x"', /must be a JSON object/],
    ["null", "null", /must be a JSON object/],
    ["a number", "1", /must be a JSON object/],
    ["a literal NUL", '{"url":"\u0000"}', /not valid JSON/],
    ["form data", "url=https://example.com", /not valid JSON/],
    ["Latin-1", Uint8Array.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
    ["UTF-16", Uint8Array.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), /not valid UTF-8/],
    ["overlong UTF-8", Uint8Array.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
    ["an encoded surrogate", Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ["a million brackets", "[".repeat(1_000_000), /nested deeper than 131 levels/],
    ["brackets in a body that is parsed without a count", "[".repeat(4_000), /not valid JSON/],
    ["a long string without end", `{"a":"${"\\\\".repeat(100_000)}`, /not valid JSON/],
  ];
  const rows = POSTS.flatMap((path) => BODIES.map((row) => [path, ...row] as const));

  test.each(rows)("is refused at %s: %s", async (path, _, body, message) => {
    expectError(await client.post(path, body), 400, "BAD_REQUEST", message);
  });
});

describe("a body's type", () => {
  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
  ])("may be %s", async (type) => {
    const answer = await client.post(
      "/webhooks",
      { endpoint_id: endpointId, data: {} },
      { "content-type": type },
    );
    expect(answer.status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "multipart/form-data; boundary=x",
  ])("can't be %s", async (type) => {
    const answer = await client.post(
      "/webhooks",
      { endpoint_id: endpointId, data: {} },
      { "content-type": type },
    );
    expectError(answer, 400, "BAD_REQUEST", "Content-Type must be application/json");
  });

  test("is ignored without a body, and may be missing", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await client.ask("POST", `/endpoints/${endpointId}/test`, "", form)).status).toBe(201);
  });

  test("may be missing", async () => {
    const body = sendOf(200);
    const head = headOf("/webhooks", `Content-Length: ${body.length}`);
    expect((await exchange(head, [body])).status).toBe(201);
  });
});

describe("nesting", () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const send = (data: string) => client.post("/webhooks", `{"endpoint_id":"${endpointId}","data":${data}}`);

  test("of 128 levels is accepted", async () => {
    expect((await send(nested(128))).status).toBe(201);
  });

  test("of 128 levels is accepted in a long body, whatever its strings contain", async () => {
    const brackets = '[{\\"'.repeat(20_000);
    expect((await send(`{"a":"${brackets}","b":${nested(127)}}`)).status).toBe(201);
  });

  test("of 129 levels is refused", async () => {
    expectError(await send(nested(129)), 400, "BAD_REQUEST", "data is nested deeper than 128 levels");
  });

  test("of a long body may reach what a batch needs, and no more", async () => {
    const filler = " ".repeat(70_000);
    const batch = (data: string) =>
      client.post(
        "/webhooks/batch",
        `{"webhooks":[{"endpoint_id":"${endpointId}","data":${data}${filler}}]}`,
      );
    expect((await batch(nested(128))).body.results[0].status).toBe(201);
    expectError(await batch(nested(129)), 400, "BAD_REQUEST", "body is nested deeper than 131 levels");
  });
});

test("a client that hangs up in the middle of its body causes no 500", async () => {
  const logged: unknown[] = [];
  const log = { ...service.dependencies.log, error: (...what: unknown[]) => logged.push(what) };
  const watched = await startTestService({ beside: service, dependencies: { log: log as never } });
  try {
    const { hostname, port } = new URL(watched.url);
    for (const head of ["Content-Length: 500", "Transfer-Encoding: chunked"]) {
      const socket = connect(Number(port), hostname);
      socket.write(`${headOf("/webhooks", head).join("\r\n")}\r\n\r\n1\r\n{\r\n`);
      await Bun.sleep(50);
      socket.destroy();
      await Bun.sleep(50);
    }
    expect((await client.get("/stats")).status).toBe(200);
    expect(logged).toEqual([]);
  } finally {
    await watched.stop();
  }
});

describe("a compressed body", () => {
  const send = (coding: string, body: Uint8Array<ArrayBuffer> | string) =>
    answerOfFetch("/webhooks", { "content-encoding": coding }, body);

  async function answerOfFetch(
    path: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer> | string,
  ) {
    const all = { authorization: `Bearer ${client.key}`, "content-type": "application/json", ...headers };
    return answerOf(await fetch(`${service.url}/v1${path}`, { method: "POST", headers: all, body }));
  }

  test.each(["gzip", "deflate", "br", "x", "identity, gzip", "GZIP"])(
    "in %s is a 415 that says so",
    async (coding) => {
      const answer = await send(coding, Bun.gzipSync(new TextEncoder().encode(sendOf(1_000))));
      expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding is not supported");
      expect(answer.headers.get("accept-encoding")).toBe("identity");
    },
  );

  test.each(["identity", "Identity, identity", ""])(
    "with the coding identity is accepted: %p",
    async (coding) => {
      expect((await send(coding, sendOf(1_000))).status).toBe(201);
    },
  );

  test("is checked after its size, and is ignored without a body", async () => {
    expectError(await send("gzip", sendOf(LIMIT + 1)), 413, "PAYLOAD_TOO_LARGE");
    expect((await client.get("/endpoints", { "content-encoding": "gzip" })).status).toBe(200);
  });
});
