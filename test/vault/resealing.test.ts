import { beforeEach, expect, spyOn, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { Idempotency } from "../../src/api/idempotency/idempotency";
import { resealAnswers } from "../../src/api/idempotency/resealing";
import type { Database } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
import { MAX_WEIGHT } from "../../src/dispatch/actor";
import { Backlog } from "../../src/dispatch/backlog/backlog";
import { ALL_EVENTS } from "../../src/domain/event-filter";
import type { EndpointId } from "../../src/domain/ids";
import { longestWait } from "../../src/domain/retry-policy";
import { Endpoints } from "../../src/endpoints/endpoint";
import { resealEndpoints } from "../../src/endpoints/resealing";
import { Budget } from "../../src/runtime/budget";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { RESEAL_ROWS } from "../../src/vault/resealing";
import { Vault } from "../../src/vault/vault";
import { fetchedBy } from "../support/fetched";
import { FIRST_PAGE } from "../support/first-page";
import { useDatabase } from "../support/postgres";

const key = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString("base64")}`;
const vaultOf = (...keys: string[]) => new Vault(parseEncryptionKeys(keys.join()));
const [OLD, NEW, LOST] = [key("old", 1), key("new", 2), key("lost", 3)];
/** The number of rows in a full page and a part of the next. */
const MANY = RESEAL_ROWS + 10;

const database = await useDatabase();
beforeEach(() => database.db.run((sql) => sql`truncate endpoints, mailboxes, idempotency_keys cascade`));

const endpointsWith = (vault: Vault) => new Endpoints(database.db, () => 0, vault);

async function create(vault: Vault): Promise<{ id: EndpointId; signingSecret: string }> {
  const headers = [
    { name: "x-open", value: "seen", isSecret: false },
    { name: "authorization", value: "Bearer t0k3n", isSecret: true },
  ];
  const wanted = { url: "https://example.com", description: null, eventFilter: ALL_EVENTS, headers };
  const { endpoint, signingSecret } = await database.db.transaction((sql) =>
    endpointsWith(vault).create(sql, DEFAULT_ACCOUNT, wanted),
  );
  return { id: endpoint.id, signingSecret };
}

const rotate = (vault: Vault, id: EndpointId) =>
  database.db.transaction((sql) =>
    endpointsWith(vault).rotateSecret(sql, DEFAULT_ACCOUNT, id, { overlapMs: 60_000 }),
  );

const viewWith = async (vault: Vault, endpointId: EndpointId) => {
  const { db } = database;
  const openSecret = vault.open.bind(vault);
  const backlog = new Backlog({
    db,
    openSecret,
    memory: new Budget(MAX_WEIGHT),
    longestWaitMs: longestWait([]),
  });
  return (await backlog.read({ partition: 0, endpointId }, FIRST_PAGE)).endpoint;
};

const answerWith = (vault: Vault, name: string, secret: string) =>
  new Idempotency(database.db, vault).once(
    { accountId: DEFAULT_ACCOUNT, key: name, fingerprint: new Uint8Array(32) },
    async () => ({ status: 201, json: JSON.stringify({ secret }) }),
  );

test("everything sealed by an old key is resealed, so that the old key can be removed", async () => {
  const [before, during, after] = [vaultOf(OLD), vaultOf(NEW, OLD), vaultOf(NEW)];
  const made = await Promise.all(Array.from({ length: MANY }, () => create(before)));
  const rotated = made.slice(0, 20);
  const fresh = await Promise.all(rotated.map(({ id }) => rotate(before, id)));
  await Promise.all(Array.from({ length: MANY }, (_, i) => answerWith(before, `key ${i}`, `secret ${i}`)));
  const first = made[0];
  if (!first) throw new Error("none was made");
  await expect(viewWith(after, first.id)).rejects.toThrow("old");
  expect(await viewWith(during, first.id)).not.toBeNull();

  expect(await resealEndpoints(database.db, during)).toEqual({ resealed: MANY, missed: 0, unreadable: 0 });
  expect(await resealAnswers(database.db, during)).toEqual({ resealed: MANY, missed: 0, unreadable: 0 });

  for (const { id, signingSecret } of made.slice(20)) {
    expect(await viewWith(after, id)).toMatchObject({ secrets: [signingSecret], expiringSecrets: [] });
  }
  for (const [i, { id, signingSecret }] of rotated.entries()) {
    const secret = fresh[i]?.signingSecret ?? "";
    const expiringSecrets = [{ secret: signingSecret, until: fresh[i]?.previousUntil ?? 0 }];
    const headers = { "x-open": "seen", authorization: "Bearer t0k3n" };
    expect(await viewWith(after, id)).toMatchObject({ secrets: [secret], expiringSecrets, headers });
  }
  for (const i of [0, 1, MANY - 1]) {
    const replayed = await answerWith(after, `key ${i}`, "not done again");
    expect(replayed).toMatchObject({ replayed: true, json: JSON.stringify({ secret: `secret ${i}` }) });
  }
  expect(await resealEndpoints(database.db, during)).toEqual({ resealed: 0, missed: 0, unreadable: 0 });
  expect(await resealAnswers(database.db, during)).toEqual({ resealed: 0, missed: 0, unreadable: 0 });
});

test("what no key opens is reported and stays unchanged, and delays nothing", async () => {
  const [lost, old] = [await create(vaultOf(LOST)), await create(vaultOf(OLD))];
  expect(await resealEndpoints(database.db, vaultOf(NEW, OLD))).toEqual({
    resealed: 1,
    missed: 0,
    unreadable: 1,
  });
  expect(await viewWith(vaultOf(LOST), lost.id)).toMatchObject({ secrets: [lost.signingSecret] });
  expect(await viewWith(vaultOf(NEW), old.id)).toMatchObject({ secrets: [old.signingSecret] });
});

test.each<[string, (id: EndpointId) => Promise<unknown>]>([
  ["headers", (id) => endpointsWith(vaultOf(NEW, OLD)).update(DEFAULT_ACCOUNT, id, { headers: [] })],
  [
    "a replaced secret",
    (id) => database.db.run((sql) => sql`update endpoints set earlier_secrets = null where id = ${id}`),
  ],
])("%s changed alone meanwhile are kept", async (_, change) => {
  const { id } = await create(vaultOf(OLD));
  await rotate(vaultOf(OLD), id);
  const { db } = database;
  const stored = async () =>
    (await db.run((sql) => sql`select headers, earlier_secrets from endpoints where id = ${id}`))[0];
  const run = db.run.bind(db);
  const spy = spyOn(db, "run").mockImplementationOnce(async (work, timeoutMs) => {
    const rows = await run(work, timeoutMs);
    await change(id);
    return rows;
  });
  expect(await resealEndpoints(db, vaultOf(NEW, OLD))).toEqual({ resealed: 0, missed: 1, unreadable: 0 });
  spy.mockRestore();
  const { headers, earlier_secrets } = (await stored()) ?? {};
  expect(headers === null || earlier_secrets === null).toBe(true);
});

test("a concurrent change is kept", async () => {
  const vault = vaultOf(NEW, OLD);
  const { id } = await create(vaultOf(OLD));
  const { db } = database;
  const run = db.run.bind(db);
  let secret = "none";
  // Between the read and the write.
  const spy = spyOn(db, "run").mockImplementationOnce(async (work, timeoutMs) => {
    const rows = await run(work, timeoutMs);
    secret = (await rotate(vault, id))?.signingSecret ?? secret;
    return rows;
  });
  expect(await resealEndpoints(db, vault)).toEqual({ resealed: 0, missed: 1, unreadable: 0 });
  spy.mockRestore();
  expect(await viewWith(vault, id)).toMatchObject({ secrets: [secret] });
});

test("a concurrently replaced answer is kept, too", async () => {
  const vault = vaultOf(NEW, OLD);
  const { db } = database;
  await answerWith(vaultOf(OLD), "taken anew", "of before");
  const run = db.run.bind(db);
  const spy = spyOn(db, "run").mockImplementationOnce(async (work, timeoutMs) => {
    const rows = await run(work, timeoutMs);
    await run((sql) => sql`delete from idempotency_keys`);
    await answerWith(vault, "taken anew", "of now");
    return rows;
  });
  expect(await resealAnswers(db, vault)).toEqual({ resealed: 0, missed: 1, unreadable: 0 });
  spy.mockRestore();
  const { json } = await answerWith(vault, "taken anew", "not done again");
  expect(json).toBe(JSON.stringify({ secret: "of now" }));
});

test("however many keys have no answer, no statement reads more of them than a page", async () => {
  await database.db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint)
      select ${DEFAULT_ACCOUNT}, 'send ' || n, '' from generate_series(1, ${3 * RESEAL_ROWS}::integer) n`,
  );
  const pages: number[] = [];
  const run: Database["run"] = async <T>(work: (sql: Sql) => Promise<T>) => {
    const answers: T[] = [];
    const looking = (own: Database) => own.run(work).then((answer) => answers.push(answer));
    pages.push(await fetchedBy(database, "idempotency_keys", looking));
    const [answer] = answers;
    if (answer === undefined) throw new Error("no answer");
    return answer;
  };
  expect(await resealAnswers({ run }, vaultOf(NEW, OLD))).toEqual({ resealed: 0, missed: 0, unreadable: 0 });
  expect(Math.max(...pages)).toBe(RESEAL_ROWS);
});
