import { expect, test } from "bun:test";
import { deleteExpiredIdempotencyKeys } from "../../src/api/idempotency/expiry";
import type { Database } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
import { newId } from "../../src/domain/ids";
import { Commit, readTaken } from "../../src/intake/commit";
import type { NewDelivery } from "../../src/intake/new-delivery";
import { EndpointCache } from "../../src/intake/sends/endpoint-cache";
import { findTakenEvents, findTakenSends } from "../../src/intake/taken-keys";
import { chooseShards } from "../../src/intake/usage";
import { systemClock } from "../../src/runtime/clock";
import { entriesReadBy, fetchedBy } from "../support/fetched";
import { useDatabase } from "../support/postgres";

const KEPT = 5_000;
const ACCOUNT = newId("acc");
const ENDPOINT = newId("ep");
const FINGERPRINT = new Uint8Array(8);

const database = await useDatabase();
await database.db.run(async (sql) => {
  await sql`alter table idempotency_keys set (autovacuum_enabled = false)`;
  await sql`insert into accounts (id, name, plan) values (${ACCOUNT}, 'test', 'unlimited')`;
  await sql`insert into endpoints (id, account_id, url, signing_secret)
    values (${ENDPOINT}, ${ACCOUNT}, 'http://127.0.0.1:9', 'sealed')`;
  await sql`insert into mailboxes (endpoint_id, partition) values (${ENDPOINT}, 1)`;
  // The statistics are of an empty table: many pages and no key.
  await keep(sql, 20_000);
  await sql`delete from idempotency_keys`;
  await sql`analyze idempotency_keys`;
  await keep(sql, KEPT);
});

function keep(sql: Sql, keys: number): Promise<unknown> {
  return sql`
    insert into idempotency_keys (account_id, key, fingerprint, delivery_id)
    select ${ACCOUNT}, 'key-' || n, ${FINGERPRINT}, gen_random_uuid() from generate_series(1, ${keys}::integer) n`;
}

function claimOf(key: string) {
  return { key, fingerprint: FINGERPRINT };
}

function sendWith(key: string): NewDelivery {
  const idempotency = claimOf(key);
  return {
    id: newId("wh"),
    accountId: ACCOUNT,
    endpointId: ENDPOINT,
    event: null,
    orderingKey: null,
    data: "{}",
    idempotency,
  };
}

function keysFetchedBy(work: (own: Database) => Promise<unknown>): Promise<number> {
  return fetchedBy(database, "idempotency_keys", work);
}

test("a send with a key reads no other key", async () => {
  const accept = (db: Database) =>
    new Commit({ clock: systemClock, shard: chooseShards(0).sends, directory: new EndpointCache() }).run(
      [sendWith("free")],
      db,
    );
  expect(await keysFetchedBy(accept)).toBeLessThan(3);
  const judge = (db: Database) => db.run((sql) => readTaken(sql, [sendWith("key-7")], 0));
  expect(await keysFetchedBy(judge)).toBeLessThan(3);
});

test("answers to taken keys are found by the keys", async () => {
  const sends = ["key-1", "key-2", "free"].map(sendWith);
  expect(await keysFetchedBy((own) => own.run((sql) => findTakenSends(sql, sends)))).toBe(2);
  expect(await keysFetchedBy((own) => own.run((sql) => findTakenEvents(sql, sends)))).toBe(2);
});

test("answers to many taken keys need as few statements as one", async () => {
  const statements = (keys: number) =>
    database.db.run(async (sql) => {
      let count = 0;
      const counting = new Proxy(sql, {
        apply(_, __, query: Parameters<Sql>) {
          count++;
          return sql(...query);
        },
      });
      const sends = Array.from({ length: keys }, (_, i) => sendWith(`key-${i + 10}`));
      expect((await findTakenEvents(counting, sends)).size).toBe(keys);
      return count;
    });
  expect(await statements(50)).toBe(await statements(1));
});

test("expired keys are found in the order of time, and deleted by the keys", async () => {
  await database.db.run(
    (sql) => sql`
      update idempotency_keys set created_at = now() - interval '25 hours'
      where account_id = ${ACCOUNT} and key in ('key-3', 'key-4')`,
  );
  let deleted = 0;
  const expire = async (own: Database) => {
    deleted = await deleteExpiredIdempotencyKeys(own);
  };
  expect(await keysFetchedBy(expire)).toBeLessThan(10);
  expect(deleted).toBe(2);
});

test("expired keys that are already deleted are not read again", async () => {
  const expired = 3_500;
  await database.db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint, created_at)
      select ${ACCOUNT}, 'old-' || n, ${FINGERPRINT}, now() - interval '2 days' + n * interval '1 millisecond'
      from generate_series(1, ${expired}::integer) n`,
  );
  const expire = (own: Database) => deleteExpiredIdempotencyKeys(own);
  const entries = await entriesReadBy(database, "idempotency_keys_created", expire);
  expect(entries).toBeGreaterThanOrEqual(expired);
  expect(entries).toBeLessThan(expired + 100);
});
