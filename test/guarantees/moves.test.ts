import { expect, test } from "bun:test";
import { arrayOf } from "../../src/db/sql/arrays";
import { type AccountId, fromText } from "../../src/domain/ids";
import { channelOf } from "../../src/domain/move-channel";
import { ENDED_KINDS, KIND_COUNT } from "../../src/domain/tally";
import { type MoveSettings, startMove } from "../../src/moves/start";
import { createLog } from "../../src/runtime/log";
import { readConfig } from "../../src/service/config";
import { startRouter } from "../../src/service/router";
import { startService } from "../../src/service/service";
import { Client, type Json } from "../http/client";
import { atEnd } from "../support/at-end";
import { patientRequests } from "../support/faults/patient-requests";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { natsClient } from "../support/nats-client";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { serverFolder } from "../support/server-folder";
import { testNatsUrl } from "../support/servers";
import { ADMIN_KEY, configOn } from "../support/service-config";

const NAMES = ["eu-1", "us-1"] as const;
type CellName = (typeof NAMES)[number];
const PORTS = { "eu-1": freePort(), "us-1": freePort() };
/** With a lease below the time for which an account closes, so that no step waits for attempts alone. */
const ATTEMPT_MS = 3_000;
const KEY = Buffer.alloc(32, "a key of both cells").toString("base64");
const ENV = {
  HERMOD_CELLS: NAMES.map((name) => `${name}=http://127.0.0.1:${PORTS[name]}`).join(","),
  HERMOD_CELLS_NATS_URL: await testNatsUrl(),
  HERMOD_ENCRYPTION_KEY: KEY,
  HERMOD_ATTEMPT_TIMEOUT: `${ATTEMPT_MS}ms`,
  HERMOD_LEASE_TTL: "1s",
  HERMOD_DRAIN_TIMEOUT: "1s",
  HERMOD_PROCESSES: "1",
};
const log = createLog("silent");
const nats = await natsClient(ENV.HERMOD_CELLS_NATS_URL);
await (await nats.jetstreamManager()).streams.delete("KV_hermod-cells").catch(() => false);

const folder = await serverFolder();
const databases = { "eu-1": await testDatabase(), "us-1": await testDatabase() };
for (const name of NAMES) {
  const env = { ...ENV, HERMOD_CELL: name, PORT: String(PORTS[name]), HERMOD_PARTITIONS: "4" };
  const cell = await startService(await configOn(databases[name], folder, env), "all", log);
  atEnd(() => databases[name].drop());
  atEnd(() => cell.stop());
}
const router = await startRouter(readConfig({ ...ENV, PORT: "0" }, "router"), log);
atEnd(() => router.stop());
const url = `http://127.0.0.1:${router.port}`;
await until(async () => (await fetch(`${url}/health/ready`)).ok);

/** The sequences that each path of a receiver got, in the order of the requests, without attempts repeated by a slow machine. */
const received = new Map<string, number[]>();
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    const sequences = received.get(pathname) ?? [];
    const sequence = Number(request.headers.get("webhook-sequence"));
    if (sequences.at(-1) !== sequence) received.set(pathname, [...sequences, sequence]);
    return new Response();
  },
});
atEnd(() => receiver.stop(true));

/** A move takes this long on a machine that is very busy. */
const PATIENCE = { withinMs: 200_000 };

/** Answers of requests on the way that are neither a success nor a 503. */
const wrong: string[] = [];

const patiently = patientRequests(wrong, PATIENCE);

const settingsOf = (from: CellName, to: CellName, onStep: (step: string) => void): MoveSettings => ({
  from: databases[from].url,
  to: databases[to].url,
  sourceUrl: databases[from].url,
  store: null,
  encryptionKeys: readConfig(ENV, "migrate").encryptionKeys,
  attemptTimeoutMs: ATTEMPT_MS,
  deadlineMs: 600_000,
  onStep,
});

const DEATH = "the mover dies";

/** Ends a mover at each of these steps, once. */
function dieAt(steps: Set<string>): (step: string) => void {
  return (step) => {
    if (steps.delete(step)) throw new Error(DEATH);
  };
}

/** Moves the account. The mover dies at each of these steps, and is started again. */
async function move(
  id: AccountId,
  from: CellName,
  to: CellName,
  steps: Iterable<string> = [],
): Promise<void> {
  const settings = settingsOf(from, to, dieAt(new Set(steps)));
  for (;;) {
    try {
      return await startMove("move", id, settings, () => {});
    } catch (error) {
      if (!(error instanceof Error) || error.message !== DEATH) throw error;
    }
  }
}

/** Sends to an endpoint until the end, again and again with the same key while it gets a 503. */
async function load(client: Client, endpointId: string, isOver: () => boolean): Promise<Map<string, string>> {
  const sent = new Map<string, string>();
  while (!isOver()) {
    const key = crypto.randomUUID();
    const { id } = await patiently(
      client,
      "POST",
      "/webhooks",
      { endpoint_id: endpointId, event: "a.b", data: { key } },
      key,
    );
    sent.set(key, id);
    await Bun.sleep(10);
  }
  return sent;
}

/** Follows the account's deliveries until the end, and until all are read. */
async function follow(client: Client, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let iterator = "start";
  for (;;) {
    const isLast = isOver();
    const page = await patiently(client, "GET", `/webhooks?iterator=${iterator}&limit=100`);
    seen.push(...page.data.map(({ id }: Json) => id));
    iterator = page.iterator;
    if (isLast && page.cursor === null) return seen;
    await Bun.sleep(20);
  }
}

/** Returns the tables of a cell that have rows of the account. */
async function tablesWith({ db }: TestDatabase, id: AccountId): Promise<string[]> {
  const tables = await db.run(
    (sql) => sql<{ name: string }[]>`
      select c.table_name as name from information_schema.columns c join pg_class t on t.relname = c.table_name
      where c.column_name = 'account_id' and c.table_schema = 'public' and not t.relispartition
    `,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db.run((sql) =>
        sql.unsafe(`select from "${name}" where account_id = '${id}' limit 1`),
      );
      return row ? [name] : [];
    }),
  );
  return found.flat().toSorted();
}

/** Returns the figures over time that are older than the test. */
function seriesOf({ db }: TestDatabase, subjects: readonly (string | null)[]): Promise<object[]> {
  return db
    .run(
      (sql) => sql<object[]>`
      select * from series where subject = any(${arrayOf(subjects)}::uuid[]) and at < now() - interval '45 minutes'
      order by subject, at
    `,
    )
    .then((rows) => [...rows]);
}

/** Drops the slot of an account's move, as Postgres does if it would keep more WAL than it may. */
async function loseSlot({ db }: TestDatabase, id: AccountId): Promise<void> {
  const { slot } = channelOf(id);
  await until(async () => {
    await db.run(
      (sql) =>
        sql`select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = ${slot}`,
    );
    await db.run((sql) => sql`select pg_drop_replication_slot(${slot})`);
    return true;
  });
}

/** Returns how many deliveries the figures over time of all endpoints count as ended, folded or not. */
async function ended({ db }: TestDatabase): Promise<number> {
  const [row] = await db.run(
    (sql) => sql<{ ended: number }[]>`
      select (
        (select coalesce(sum(coalesce(u.n, 1)), 0) from tallies t, unnest(t.endpoint_ids, t.codes, t.counts) as u(endpoint, code, n)
          where u.code % ${KIND_COUNT} in ${sql(ENDED_KINDS)})
        + (select coalesce(sum(ended), 0) from series_positions)
      )::float8 as ended
    `,
  );
  return row?.ended ?? 0;
}

test("an account moves back and forth under load: nothing is lost, repeated or out of order", async () => {
  const admin = new Client(url, "" as AccountId, ADMIN_KEY);
  const account = await admin.expecting(
    201,
    until(async () => {
      const answer = await admin.post(
        "/admin/accounts",
        { name: "shop", external_id: "shop" },
        { "hermod-cell": "eu-1" },
      );
      return answer.status === 503 ? null : answer;
    }),
  );
  const id = fromText("acc", account.id) as AccountId;
  const { key } = await admin.expecting(201, admin.post("/admin/accounts/~shop/keys", {}));
  const client = new Client(url, id, key);
  const pushed = await client.newEndpoint({ url: `${receiver.url}ordered` });
  const byKey = await client.newEndpoint({ url: `${receiver.url}by-key`, ordering: "by_key" });
  const pulled = await client.newEndpoint({ url: undefined, delivery: "pull" });
  for (let i = 0; i < 3; i++) await client.send(pulled.id, "a.b", { i });
  const page = await client.expecting(200, client.post(`/endpoints/${pulled.id}/receive`, { limit: 2 }));

  const subjects = [id, fromText("ep", pushed.id), fromText("ep", byKey.id)];
  await databases["eu-1"].db.run(
    (sql) => sql`
      insert into series (subject, at, codes, counts)
      select s, date_trunc('minute', now()) - n * interval '1 hour', array[n], array[n * 7]
      from unnest(${arrayOf(subjects)}::uuid[]) s, generate_series(1, 50) n
    `,
  );
  const figures = await seriesOf(databases["eu-1"], subjects);
  let [isOver, isSent] = [false, false];
  const running = [pushed, byKey].map((endpoint) => load(client, endpoint.id, () => isOver));
  const following = follow(client, () => isSent);
  await move(id, "eu-1", "us-1", [
    "publish",
    "subscribe",
    "copy",
    "hold",
    "wait",
    "arrive",
    "forget",
    "unsubscribe",
    "purge",
  ]);
  const acknowledged = await patiently(client, "POST", `/endpoints/${pulled.id}/receive`, {
    receipt: page.receipt,
    ack_through: 2,
  });
  const created = await patiently(client, "POST", "/endpoints", { url: `${receiver.url}later` });
  const dieBack = (step: string) =>
    expect(
      startMove("move", id, settingsOf("us-1", "eu-1", dieAt(new Set([step]))), () => {}),
    ).rejects.toThrow(DEATH);
  await dieBack("close");
  await startMove(
    "give_up",
    id,
    settingsOf("us-1", "eu-1", () => {}),
    () => {},
  );
  expect(await tablesWith(databases["eu-1"], id)).toEqual([]);
  await dieBack("wait");
  await loseSlot(databases["us-1"], id);
  await move(id, "us-1", "eu-1");
  isOver = true;
  const sent = await Promise.all(running);
  isSent = true;
  const seen = await following;

  expect(wrong).toEqual([]);
  for (const [path, ids] of [
    ["/ordered", sent[0]],
    ["/by-key", sent[1]],
  ] as const) {
    const all = Array.from({ length: ids?.size ?? 0 }, (_, i) => i + 1);
    await until(() => (received.get(path)?.length ?? 0) >= all.length);
    expect(received.get(path)).toEqual(all);
  }
  const ids = sent.flatMap((each) => [...each.values()]);
  expect(seen.length).toBe(ids.length + 3);
  expect(new Set(seen)).toEqual(new Set([...ids, ...seen.slice(0, 3)]));
  const [again] = sent[0] ?? [];
  const body = { endpoint_id: pushed.id, event: "a.b", data: { key: again?.[0] } };
  expect((await patiently(client, "POST", "/webhooks", body, again?.[0])).id).toBe(again?.[1]);
  expect(acknowledged.data.map(({ sequence }: Json) => sequence)).toEqual([3]);
  expect((await patiently(client, "GET", `/endpoints/${created.id}`)).url).toBe(`${receiver.url}later`);
  const stats = await until(async () => {
    const read = await patiently(client, "GET", "/stats");
    return read.delivered === ids.length + 2 && read;
  });
  expect(stats.total_deliveries).toBe(seen.length);
  expect((await patiently(client, "GET", "/billing/usage")).webhooks.used).toBe(seen.length);
  expect(await ended(databases["eu-1"])).toBe(ids.length + 2);
  expect(await tablesWith(databases["us-1"], id)).toEqual([]);
  expect(await seriesOf(databases["us-1"], subjects)).toEqual([]);
  expect(await seriesOf(databases["eu-1"], subjects)).toEqual(figures);
}, 400_000);
