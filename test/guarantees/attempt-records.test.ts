import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Attempt } from "../../src/client";
import { answer, Receiver, type ReceiverOptions } from "../attempt/receiver";
import { Cluster, KEY } from "../support/faults/cluster";
import { HermodClient } from "../support/faults/hermod-client";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const KEPT_BYTES = 2_048;
const SECRET = "Bearer hunter2";

let cluster: Cluster;
let hermod: HermodClient;
const receivers: Receiver[] = [];

beforeAll(async () => {
  const env = { HERMOD_RESPONSE_BODY: String(KEPT_BYTES) };
  cluster = await Cluster.start({ postgres: "shared", env });
  hermod = new HermodClient((await cluster.launch("all", "all")).url, KEY);
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  for (const each of receivers) each.close();
});

/** Sends a webhook to a receiver with this behaviour and returns its attempts, once there are `count`. */
async function attemptsAt(onRequest: ReceiverOptions["onRequest"], count = 1) {
  const receiver = await Receiver.open({ onRequest });
  receivers.push(receiver);
  const { endpoints, webhooks } = hermod.api;
  const headers = { authorization: SECRET, "x-plain": "seen" };
  const endpoint = await endpoints.create({
    url: receiver.url,
    headers,
    sensitive_headers: ["authorization"],
  });
  const sent = { endpoint_id: endpoint.id, event: "größe.a", ordering_key: "k 1", data: { a: "é" } };
  const { id } = await webhooks.send(sent);
  const detail = await until(
    async () => {
      const found = await webhooks.get(id);
      return found.attempts.length >= count ? found : null;
    },
    { what: "the attempts" },
  );
  return { receiver, attempts: detail.attempts as Attempt[], text: JSON.stringify(detail) };
}

/** Returns the headers of a request that the receiver got, names in lower case. */
function headersAt(receiver: Receiver, request: number): Record<string, string> {
  const [, ...lines] = receiver.requests[request]?.head.trim().split("\r\n") ?? [];
  return Object.fromEntries(
    lines.map((line) => [line.replace(/:.*/s, "").toLowerCase(), line.replace(/^[^:]*: /, "")]),
  );
}

test("an attempt shows every header that the receiver got, with secret values masked", async () => {
  let seen = 0;
  const { receiver, attempts, text } = await attemptsAt(({ socket }) => {
    socket.write(answer(++seen === 1 ? 503 : 200));
  }, 2);
  for (const [i, { request_headers }] of attempts.entries()) {
    const got = headersAt(receiver, i);
    expect(got.authorization).toBe(SECRET);
    expect(request_headers).toEqual({ ...got, authorization: "***" });
  }
  expect(text).not.toContain("hunter2");
});

test("an attempt shows the answer's headers up to 4 KiB, none of them cut, and its body up to HERMOD_RESPONSE_BODY", async () => {
  const large = `x-large: ${"b".repeat(5_000)}\r\n`;
  const head = `HTTP/1.1 500 X\r\nX-Name: größe\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n__proto__: c\r\nno field\r\n${large}`;
  const { attempts } = await attemptsAt(({ socket }) => {
    socket.write(`${head}content-length: 5000\r\n\r\n${"d".repeat(5_000)}`);
  });
  expect(attempts[0]?.response_body).toBe("d".repeat(KEPT_BYTES));
  expect(Object.entries(attempts[0]?.response_headers ?? {})).toEqual([
    ["x-name", "größe"],
    ["set-cookie", "a=1, b=2"],
    ["__proto__", "c"],
  ]);
});

test("an attempt shows the address it connected to, and how long each phase took", async () => {
  const { receiver, attempts } = await attemptsAt(({ socket }) => {
    setTimeout(() => socket.write(answer(attemptsLeft-- > 0 ? 500 : 200)), 30);
  }, 2);
  const [first, second] = attempts;
  expect(first?.address).toBe(`127.0.0.1:${receiver.port}`);
  expect(first?.timing).toMatchObject({ lookup_ms: null, connect_ms: expect.any(Number), tls_ms: null });
  expect(first?.timing?.first_byte_ms).toBeGreaterThanOrEqual(29);
  expect(first?.duration_ms).toBeGreaterThanOrEqual(first?.timing?.first_byte_ms ?? 0);
  // The second attempt reuses the first one's connection.
  expect(second?.timing?.connect_ms).toBeNull();
});
let attemptsLeft = 1;

test("an attempt that could not connect shows the address it tried, and no request", async () => {
  const { endpoints, webhooks } = hermod.api;
  const endpoint = await endpoints.create({ url: "http://127.0.0.1:1/" });
  const { id } = await webhooks.send({ endpoint_id: endpoint.id, data: {} });
  const attempt = await until(async () => (await webhooks.get(id)).attempts[0], { what: "an attempt" });
  expect(attempt).toMatchObject({
    error: "connection_refused",
    address: "127.0.0.1:1",
    request_headers: null,
    response_headers: null,
    timing: { lookup_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
  });
});
