import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Socket } from "node:net";
import { EXPIRED_CERTIFICATE, KEY as PRIVATE_KEY } from "../attempt/certificates";
import { answer, Receiver, type ReceiverOptions } from "../attempt/receiver";
import { Cluster } from "../support/faults/cluster";
import { fieldOf, textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const DEADLINE_MS = 2_000;
/** Time that a busy machine may add to a deadline. */
const SLACK_MS = 5_000;
const RETRY_MS = 60_000;
const HOUR_MS = 3_600_000;
const MOST_GROWTH_BYTES = 64 * 1_048_576;

let cluster: Cluster;
let dispatcher: HermodProcess;

beforeAll(async () => {
  const env = { HERMOD_ATTEMPT_TIMEOUT: `${DEADLINE_MS}ms`, HERMOD_RETRY_SCHEDULE: `${RETRY_MS}ms` };
  cluster = await Cluster.start({ postgres: "shared", env });
  [dispatcher] = await Promise.all([
    cluster.launch("dispatcher", "dispatcher"),
    cluster.launch("api", "api"),
  ]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** Writes as fast as the other side reads, until it closes the connection. */
function pour(socket: Socket, chunk: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

function drip(socket: Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write("a")), 1_000);
}

function then(act: (socket: Socket) => unknown): ReceiverOptions {
  return { onRequest: ({ socket }) => void act(socket) };
}

function answering(status: number, headers: Record<string, string> = {}): ReceiverOptions {
  return then((socket) => socket.write(answer(status, "", headers)));
}

function resetSoon(socket: Socket): void {
  setTimeout(() => socket.resetAndDestroy(), 50);
}

const HEAD = "HTTP/1.1 200 X\r\n";
const LARGE = "x".repeat(65_536);
const MANY_HEADERS = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`x-${i}`, "a".repeat(1_000)]));
const PAST = "Wed, 21 Oct 2015 07:28:00 GMT";
const tls = { key: PRIVATE_KEY, cert: EXPIRED_CERTIFICATE };

type Outcome = {
  /** The delivery's status after its first attempt. */
  is: "delivered" | "failed" | "pending";
  /** The HTTP status that the attempt got, 0 for none. */
  got: number;
  error?: string;
  /** The approximate wait before the next attempt. */
  waitsMs?: number;
};
type Case = [name: string, receiver: ReceiverOptions, outcome: Outcome, url?: (receiver: Receiver) => string];

const timeout: Outcome = { is: "pending", got: 0, error: "timeout" };
const CASES: Case[] = [
  ["accepts and hangs", {}, timeout],
  ["sends a byte a second", then((socket) => drip(socket, HEAD)), timeout],
  [
    "answers 200 and a byte a second",
    then((socket) => drip(socket, `${HEAD}\r\n`)),
    { is: "delivered", got: 200, error: "timeout" },
  ],
  [
    "sends interim answers without end",
    then((socket) => pour(socket, "HTTP/1.1 103 X\r\n\r\n".repeat(100))),
    { is: "pending", got: 0, error: "response_too_large" },
  ],
  [
    "sends a body without end",
    then((socket) => pour(socket, `${HEAD}\r\n${LARGE}`)),
    { is: "delivered", got: 200 },
  ],
  [
    "sends a body of 1 GB",
    then((socket) => {
      socket.write(`${HEAD}content-length: 1073741824\r\n\r\n`);
      pour(socket, LARGE);
    }),
    { is: "delivered", got: 200 },
  ],
  ["sends 64 KB of headers", answering(200, MANY_HEADERS), { is: "delivered", got: 200 }],
  [
    "sends headers without end",
    then((socket) => {
      socket.write(HEAD);
      pour(socket, `x: ${LARGE}\r\n`);
    }),
    { is: "pending", got: 0, error: "response_too_large" },
  ],
  [
    "resets before the answer",
    then((socket) => socket.resetAndDestroy()),
    { is: "pending", got: 0, error: "connection_reset" },
  ],
  [
    "resets in the middle of the answer",
    then((socket) => socket.write(`${HEAD}content-length: 9\r\n\r\nabc`, () => resetSoon(socket))),
    { is: "delivered", got: 200, error: "connection_reset" },
  ],
  [
    "resets after the answer",
    then((socket) => socket.write(answer(200, "ok"), () => resetSoon(socket))),
    { is: "delivered", got: 200 },
  ],
  [
    "has a bad certificate",
    { tls },
    { is: "pending", got: 0, error: "tls" },
    ({ port }) => `https://127.0.0.1:${port}/`,
  ],
  [
    "speaks no TLS",
    { onConnection: (socket) => void socket.end("HTTP/1.1 400 X\r\n\r\n") },
    { is: "pending", got: 0, error: "tls" },
    ({ port }) => `https://127.0.0.1:${port}/`,
  ],
  ["has a name nobody knows", {}, { is: "pending", got: 0, error: "dns" }, () => "http://nobody.invalid/"],
  ["redirects to itself", answering(302, { location: "/hook" }), { is: "pending", got: 302 }],
  // A 410 disables the endpoint only if it is repeated a minute later.
  ["is gone", answering(410), { is: "pending", got: 410 }],
  ...[429, 503].flatMap((status): Case[] => [
    [
      `answers ${status}, come again in a century`,
      answering(status, { "retry-after": "3153600000" }),
      { is: "pending", got: status, waitsMs: HOUR_MS },
    ],
    [
      `answers ${status}, come again in the past`,
      answering(status, { "retry-after": PAST }),
      { is: "pending", got: status },
    ],
    [
      `answers ${status}, come again in -5 s`,
      answering(status, { "retry-after": "-5" }),
      { is: "pending", got: status },
    ],
    [
      `answers ${status}, come again soon`,
      answering(status, { "retry-after": "soon\u00e9" }),
      { is: "pending", got: status },
    ],
  ]),
];

/** Sends one delivery to such a receiver and returns it as the API shows it after the first attempt. */
async function attemptAt([, options, , urlOf]: Case) {
  const { client } = cluster;
  const receiver = await Receiver.open(options);
  const { endpoint } = await client.newEndpoint(urlOf?.(receiver) ?? receiver.url);
  const sent = await client.ask("POST", "/webhooks", { endpoint_id: endpoint, data: {} });
  const path = `/webhooks/${textIn(sent.body, "id")}`;
  const attempted = async () => {
    const { body } = await client.ask("GET", path);
    return fieldOf(body, "attempt_count") === 1 ? body : null;
  };
  const delivery = await until(attempted, { pollMs: 50, what: "an attempt" });
  await until(() => receiver.open === 0 || receiver.requests.length === 0 || isWhole(delivery), {
    what: "a closed connection",
  });
  const { length: requests } = receiver.requests;
  receiver.close();
  const { body: after } = await client.ask("GET", `/endpoints/${endpoint}`);
  return { delivery, requests, isActive: fieldOf(after, "is_active") };
}

// A connection whose answer was read to its end is kept open for the next request.
function isWhole(delivery: unknown): boolean {
  return fieldOf(attemptOf(delivery), "error") === null;
}

function attemptOf(delivery: unknown): unknown {
  const attempts = fieldOf(delivery, "attempts");
  return Array.isArray(attempts) ? attempts[0] : null;
}

function waitOf(delivery: unknown): number {
  return (
    Date.parse(textIn(delivery, "next_attempt_at")) - Date.parse(textIn(attemptOf(delivery), "timestamp"))
  );
}

test("every kind of bad receiver gets its recorded outcome within the deadline, and grows no memory", async () => {
  const memoryBefore = await dispatcher.memory();
  const outcomes = await Promise.all(CASES.map(async (each) => ({ each, seen: await attemptAt(each) })));
  for (const { each, seen } of outcomes) {
    const [name, , { is, got, error = null, waitsMs = RETRY_MS }] = each;
    const { delivery, requests, isActive } = seen;
    const attempt = attemptOf(delivery);
    const story = [fieldOf(delivery, "status"), fieldOf(attempt, "status"), fieldOf(attempt, "error")];
    expect([name, ...story]).toEqual([name, is, got, error]);
    expect(Number(fieldOf(attempt, "duration_ms"))).toBeLessThan(DEADLINE_MS + SLACK_MS);
    expect(requests).toBeLessThanOrEqual(1);
    expect([name, isActive]).toEqual([name, true]);
    if (is === "pending") expect([name, waitOf(delivery) / waitsMs]).toEqual([name, expect.closeTo(1, 0)]);
  }
  expect((await dispatcher.memory()) - memoryBefore).toBeLessThan(MOST_GROWTH_BYTES);
});
