import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { LineReader } from "../../src/transfer/export-file";
import { movedTables } from "../../src/transfer/tables";
import { transferData } from "../../src/transfer/transfer";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { until } from "../support/faults/until";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";
import { addDeliveries } from "./deliveries";

const log = createLog("silent");
const KEY = randomBytes(32).toString("base64");
const withKey = (key: string) => ({ encryptionKeys: parseEncryptionKeys(key) });

let folder: string;
const databases: TestDatabase[] = [];
const newDatabase = async () => {
  const database = await testDatabase();
  databases.push(database);
  return database;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermod-transfer-"));
});
afterAll(async () => {
  await Promise.all(databases.map((each) => each.drop()));
  await rm(folder, { recursive: true });
});

type Received = { id: string; sequence: number; body: string };

/** A receiver that is down until the test brings it up. */
function startReceiver() {
  const received: Received[] = [];
  const state = { isUp: false };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (!state.isUp) return new Response(null, { status: 503 });
      const header = (name: string) => request.headers.get(name) ?? "";
      received.push({
        id: header("webhook-id"),
        sequence: Number(header("webhook-sequence")),
        body: await request.text(),
      });
      return new Response();
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, received, state, stop: () => server.stop(true) };
}

async function serviceOn(database: TestDatabase) {
  const env = {
    HERMOD_ENCRYPTION_KEY: KEY,
    HERMOD_RETRY_SCHEDULE: "100ms,200ms,200ms,200ms,200ms,1s,1s,1s,1s,1s",
  };
  const service = await startService(await configOn(database, folder, env), "all", log);
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
    const url = `http://127.0.0.1:${service.port}/v1${path}`;
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(answer.status).toBeLessThan(300);
    return JSON.parse(await answer.text());
  };
  return { ask, stop: () => service.stop() };
}

/** Counts the endpoints that were added and changed, those of an import too. */
const COUNTER = "audience_revision";

/** Returns all rows of the moved tables, except what belongs to one server. */
async function contentOf({ db }: TestDatabase): Promise<Record<string, string[]>> {
  const entries = movedTables().map(async ({ name, columns }) => {
    const kept = columns.filter((each) => each !== COUNTER);
    const list = kept.map((each) => `"${each}"`).join(", ");
    const rows = await db.run((sql) => sql.unsafe(`select (${list})::text as row from "${name}" order by 1`));
    return [
      name,
      rows.map(({ row }) => String(row)).filter((row) => !/^\((encryption_key|server),/.test(row)),
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
}

test("an installation moves as a whole, and its pending deliveries are delivered there, in order and once", async () => {
  const [source, target] = [await newDatabase(), await newDatabase()];
  const receiver = startReceiver();
  const old = await serviceOn(source);
  const settings = { url: receiver.url, headers: { "x-secret": "s3cret" }, sensitive_headers: ["x-secret"] };
  const endpoint = await old.ask("POST", "/endpoints", settings);
  const bodies = ['{"a":"line\\nfeed \\\\. \\t"}', '{"big":12345678901234567890}', '{"ü":"😀"}'];
  const ids: string[] = [];
  for (let i = 0; i < 30; i++) {
    const data = JSON.parse(bodies[i % bodies.length] ?? "{}");
    const sent = await old.ask("POST", "/webhooks", { endpoint_id: endpoint.id, event: "a.b", data });
    ids.push(sent.id);
  }
  await old.ask("POST", "/events", { event: "c.d", data: { to: "all" } });
  await old.stop();

  const file = join(folder, "moved.gz");
  const written = await transferData("export", source.url, file, { encryptionKeys: null });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const read = await transferData("import", target.url, file, withKey(KEY));
  expect(read).toBe(written);
  const [before, after] = [await contentOf(source), await contentOf(target)];
  expect(Object.values(before).flat().length).toBe(written);
  expect(after).toEqual(before);

  receiver.state.isUp = true;
  const fresh = await serviceOn(target);
  await until(() => receiver.received.length >= 31, { what: "all deliveries" });
  await until(async () => (await fresh.ask("GET", "/webhooks?per_page=100&status=delivered")).total === 31, {
    what: "all deliveries are recorded",
  });
  await fresh.stop();
  receiver.stop();
  expect(receiver.received.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 31 }, (_, i) => i + 1),
  );
  expect(receiver.received.slice(0, 30).map(({ id }) => id)).toEqual(ids);
  expect(receiver.received.at(-1)?.body).toBe('{"to":"all"}');
}, 120_000);

/** Objects that somebody may have created in a database without endpoints and deliveries, and how to remove them. */
const MADE = [
  [
    "insert into event_types (account_id, name) select id, 'order.paid' from accounts",
    "delete from event_types",
  ],
  ["insert into plans (name) values ('of our own')", "delete from plans where name = 'of our own'"],
  [
    `insert into api_keys (id, account_id, hash, permissions)
      select gen_random_uuid(), a.id, sha256(n::text::bytea), '{}' from accounts a, generate_series(1, 2) n`,
    "delete from api_keys",
  ],
] as const;

test("an import is refused as a whole: with another key, into a used database, from a cut file or another version", async () => {
  const source = await newDatabase();
  const service = await serviceOn(source);
  await service.ask("POST", "/endpoints", { url: "https://example.com/" });
  await service.stop();
  const file = join(folder, "refused.gz");
  await transferData("export", source.url, file, { encryptionKeys: null });
  const target = await newDatabase();
  const before = await contentOf(target);
  const importing = (path: string, url = target.url, key = KEY) =>
    transferData("import", url, path, withKey(key));

  await expect(importing(file, target.url, randomBytes(32).toString("base64"))).rejects.toThrow(
    "HERMOD_ENCRYPTION_KEY does not open the secrets of 1 endpoints",
  );
  await expect(importing(file, source.url)).rejects.toThrow("the database is in use");
  const text = new TextDecoder().decode(Bun.gunzipSync(await Bun.file(file).bytes()));
  const changed = async (name: string, content: string) => {
    const path = join(folder, name);
    await Bun.write(path, Bun.gzipSync(Buffer.from(content)));
    return path;
  };
  const lines = text.split("\n");
  for (const length of [2, Math.floor(lines.length / 2), lines.length - 2])
    await expect(importing(await changed("cut.gz", lines.slice(0, length).join("\n")))).rejects.toThrow(
      /incomplete/,
    );
  const other = await changed("other.gz", text.replace(/"migration":"\w+"/, '"migration":"another"'));
  await expect(importing(other)).rejects.toThrow(/written by version .* import it with that version/);
  await expect(importing(await changed("nothing.gz", '{"format":"else"}\n'))).rejects.toThrow(
    "not an export of Hermod",
  );
  await expect(importing(join(folder, "absent.gz"))).rejects.toThrow("ENOENT");
  await expect(transferData("export", source.url, file, { encryptionKeys: null })).rejects.toThrow(
    "exists already",
  );
  expect(await contentOf(target)).toEqual(before);
  for (const [make, remove] of MADE) {
    await target.db.run((sql) => sql.unsafe(make));
    await expect(importing(file)).rejects.toThrow("the database is in use");
    await target.db.run((sql) => sql.unsafe(remove));
  }
  await importing(file);
}, 120_000);

/** Returns a sum over all columns of the deliveries. */
const sumOf = ({ db }: TestDatabase) =>
  db.run((sql) => sql`select count(*), sum(hashtextextended(d::text, 0)::numeric)::text from deliveries d`);

test.each([2_741, 20_000])(
  "an installation of %d deliveries moves, and says on the way how far it has come",
  async (count) => {
    const [source, target] = [await newDatabase(), await newDatabase()];
    await addDeliveries(source, count);
    const file = join(folder, `many-${count}.gz`);
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const written = await transferData("export", source.url, file, { encryptionKeys: null, report });
    expect(written).toBeGreaterThan(count);
    expect(lines).toContain(`deliveries: ${count} rows`);
    lines.length = 0;
    const read = await transferData("import", target.url, file, { ...withKey(KEY), report });
    expect(read).toBe(written);
    expect(lines).toContain(`deliveries: ${count} rows`);
    expect(await sumOf(target)).toEqual(await sumOf(source));
  },
  300_000,
);

test("every table is moved, or excluded on purpose", async () => {
  const database = await newDatabase();
  const rows = await database.db.run(
    (sql) => sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    `,
  );
  const moved = movedTables().map(({ name }) => name);
  const left = rows.map(({ name }) => name).filter((name) => !moved.includes(name));
  expect(left.toSorted()).toEqual([
    "cold_blocks",
    "cold_numbers",
    "dispatchers",
    "moved_rows",
    "moves",
    "partition_leases",
    "processes",
    "rate_windows",
    "retention_counts",
    "retention_progress",
    "sessions",
    "traces",
    "used_sign_ins",
  ]);
});

test("an export contains no key, and secrets only in sealed form", async () => {
  const text = Bun.gunzipSync(await Bun.file(join(folder, "moved.gz")).bytes());
  const content = new TextDecoder().decode(text);
  expect(content).toContain('"format":"hermod-export-1"');
  for (const secret of ["s3cret", "whsec_", "encryption_key", KEY, ADMIN_KEY])
    expect(content).not.toContain(secret);
});

test.each([1, 2, 3, 7, 1_000])("rows are read whole from chunks of %p bytes", async (size) => {
  const bytes = Buffer.from('{"head":1}\n["a"]\n["\u2028{",null]\n{"next":2}\n{"end":3}\n["cut');
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const reader = new LineReader(chunks());
  const rowsOf = async () => (await Array.fromAsync(reader.rows())).flat().map((row) => JSON.parse(row));
  expect(await reader.json()).toEqual({ head: 1 });
  expect(await rowsOf()).toEqual([["a"], ["\u2028{", null]]);
  expect(await reader.json()).toEqual({ next: 2 });
  expect(await rowsOf()).toEqual([]);
  expect(await reader.json()).toEqual({ end: 3 });
  expect(await rowsOf()).toEqual([]);
  expect(await reader.json()).toBeNull();
});
