import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLockTimeout } from "../../src/db/postgres-failure";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

const folder = await mkdtemp(join(tmpdir(), "hermod-migration-"));
const database = await useDatabase();
const env = { HERMOD_QUERY_TIMEOUT: "2s" };
const service = await startService(await configOn(database, folder, env), "all", createLog("silent"));
atEnd(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function ask(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return fetch(`http://127.0.0.1:${service.port}/v1${path}`, init);
}

/** Returns the id of what the request has created. */
async function idOf(path: string, body: object): Promise<string> {
  const answer = await ask("POST", path, body);
  expect(answer.status).toBe(201);
  return JSON.parse(await answer.text()).id;
}

/** Every kind of work that needs Postgres, by a name. */
function requests(endpointId: string, deliveryId: string): (() => Promise<Response>)[] {
  const send = { endpoint_id: endpointId, event: "a.b", data: {} };
  let key = 0;
  return [
    () => ask("POST", "/webhooks", send),
    () => ask("POST", "/webhooks", send),
    () => ask("POST", "/webhooks/batch", { webhooks: [send, send] }),
    () => ask("POST", "/events", { event: "a.b", data: {} }),
    () =>
      ask("POST", "/endpoints", { url: "https://example.com", external_id: crypto.randomUUID().slice(1) }),
    () => ask("PATCH", `/endpoints/${endpointId}`, { description: String(key++) }),
    () => ask("POST", `/webhooks/${deliveryId}/resend`),
    () => ask("GET", "/webhooks?limit=5"),
    () => ask("GET", "/stats"),
    () => ask("GET", "/billing/usage"),
  ];
}

/** Each kind of request is made again this long after its answer: all the while one of them waits, and the machine rests. */
const PAUSE_MS = 20;
/** The locks of a migration wait for this long each time, as in `migrateDatabase`. */
const WAIT_MS = 1_100;

/** Changes a table that a reader holds, as a migration does, until it has waited in vain. */
async function waitInVain(table: string): Promise<void> {
  await database.db.transaction(async (reader) => {
    await reader.unsafe(`select from ${table} limit 1`);
    const change = database.db.transaction(async (sql) => {
      await sql.unsafe(`set local lock_timeout = ${WAIT_MS}; alter table ${table} add column added integer`);
    });
    expect(isLockTimeout(await change.catch((error) => error))).toBeTrue();
  });
}

test.each(["mailboxes", "endpoints", "deliveries", "usage", "queue", "accounts", "counter_deltas"])(
  "while a migration waits for the table %s, no request is answered 500",
  async (table) => {
    const endpointId = await idOf("/endpoints", { url: "http://127.0.0.1:9/" });
    const send = { endpoint_id: endpointId, event: "a.b", data: {} };
    const kinds = requests(endpointId, await idOf("/webhooks", send));
    const answers: { status: number; retryAfter: string | null }[] = [];
    const state = { isOver: false };
    const workers = kinds.map(async (request) => {
      while (!state.isOver) {
        const { status, headers } = await request();
        answers.push({ status, retryAfter: headers.get("retry-after") });
        await Bun.sleep(PAUSE_MS);
      }
    });
    await until(() => answers.length > kinds.length, { what: "a load" });
    await waitInVain(table);
    state.isOver = true;
    await Promise.all(workers);
    const failed = answers.filter(({ status }) => status >= 500);
    expect(failed.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
    await idOf("/webhooks", send);
  },
  60_000,
);
