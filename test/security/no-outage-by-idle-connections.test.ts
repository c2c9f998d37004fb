import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketTo } from "../http/wire";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { testNatsUrl } from "../support/servers";
import { ADMIN_KEY } from "../support/service-config";

setDefaultTimeout(120_000);

const MAIN = join(import.meta.dir, "../../src/main.ts");
const OPEN_FILES = 1_024;
/** An eighth of the open files, of which one source gets half. */
const PER_SOURCE = OPEN_FILES / 8 / 2;
/** More than the process may open. */
const FLOOD = 1_500;
const DELIVERIES = 20;

const flood: Socket[] = [];
const received: string[] = [];
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    received.push(request.headers.get("webhook-id") ?? "");
    // Makes each delivery use a connection of its own.
    return new Response(null, { headers: { connection: "close" } });
  },
});

const folder = await mkdtemp(join(tmpdir(), "hermod-flood-"));
const database = await useDatabase();
const log = join(folder, "log");
const service = Bun.spawn(
  ["sh", "-c", `ulimit -n ${OPEN_FILES} && exec "$1" "$2"`, "sh", process.execPath, MAIN],
  {
    env: {
      PATH: process.env.PATH ?? "",
      PORT: "0",
      DATABASE_URL: database.url,
      NATS_URL: await testNatsUrl(),
      HERMOD_ADMIN_KEY: ADMIN_KEY,
      HERMOD_DATA_DIR: join(folder, "data"),
      HERMOD_PARTITIONS: "8",
      HERMOD_STREAM_MAX_BYTES: "20000000",
      HERMOD_RETRY_SCHEDULE: "1h",
    },
    stdin: "ignore",
    stdout: Bun.file(log),
    stderr: "ignore",
  },
);
const base = () => readFile(log, "utf8").then((text) => /(http:\S+)\/v1\b/.exec(text)?.[1] ?? null);
await until(async () => (await base()) !== null, { what: "the service" });
const url: string = (await base()) ?? "";

atEnd(async () => {
  for (const socket of flood) socket.destroy();
  service.kill();
  await service.exited;
  await receiver.stop(true);
  await rm(folder, { recursive: true });
});

/** The bytes that a client of the flood sends. The kernel accepts a connection with its first byte, or after a second. */
const BEGINNINGS = {
  nothing: "",
  "a part of a head": "GET /health/live HTTP/1.1\r\n",
  "a head without its body": "POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n",
  "a request, and no other": "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
};

function idle(localAddress: string, beginning = BEGINNINGS["a part of a head"]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", localAddress });
    flood.push(socket);
    socket.on("error", () => {});
    socket.on("close", resolve);
    socket.on("connect", () => {
      socket.write(beginning);
      resolve();
    });
  });
}

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect({ ok: answer.ok, text }).toEqual({ ok: true, text });
  return JSON.parse(text) as Answer;
}

const openFiles = async () => (await readdir(`/proc/${service.pid}/fd`)).length;

test.if(process.platform === "linux")(
  "endless idle connections stop neither the service nor its deliveries",
  async () => {
    const { id } = await ask<{ id: string }>("POST", "/endpoints", { url: receiver.url.href });
    // From another address than the client below.
    for (let i = 0; i < FLOOD; i++) await idle("127.0.0.2");
    for (let i = 0; i < DELIVERIES; i++) {
      await Promise.all([
        ask("POST", "/webhooks", { endpoint_id: id, event: "a.b", data: { i } }),
        ...Array.from({ length: 20 }, () => idle("127.0.0.2")),
      ]);
    }
    await until(() => received.length >= DELIVERIES, { what: "the deliveries" });
    type Delivery = { status: string; attempt_count: number };
    const { data } = await ask<{ data: Delivery[] }>("GET", `/webhooks?endpoint_id=${id}&limit=100`);
    expect(data.map((each) => [each.status, each.attempt_count])).toEqual(
      Array(DELIVERIES).fill(["delivered", 1]),
    );
    // Postgres, NATS and the log take some 40.
    await until(async () => (await openFiles()) < PER_SOURCE + 80, { what: "an end of the flood" });
    expect(service.exitCode).toBeNull();
  },
);

test.if(process.platform === "linux").each(Object.entries(BEGINNINGS))(
  "connections that send %s, from many addresses, keep nobody else out",
  async (_, beginning) => {
    const request = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    const kept = socketTo(url);
    kept.write(request);
    await kept.received("live");
    for (let i = 0; i < FLOOD / 2; i++) {
      await idle(`127.0.0.${2 + (i % 20)}`, beginning);
      if (i % 50 > 0) continue;
      const fresh = socketTo(url);
      fresh.write(request);
      await fresh.received("live");
      fresh.end();
    }
    kept.write(request.replace("live", "ready"));
    await kept.received("ready");
    kept.end();
  },
);
