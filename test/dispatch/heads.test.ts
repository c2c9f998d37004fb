import { expect, test } from "bun:test";
import type { TransactionSql } from "../../src/db/pool";
import { findHeads } from "../../src/dispatch/sweeper";
import { type AccountId, type EndpointId, newId } from "../../src/domain/ids";
import { longestWait } from "../../src/domain/retry-policy";
import { useDatabase } from "../support/postgres";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;
const AHEAD_MS = 2_000;
const WAITS = { aheadMs: AHEAD_MS, longestWaitMs: longestWait([]) };

const database = await useDatabase();

type Settings = { isActive?: boolean; ordering?: string; restsInMs?: number | null };
type Pending = { sequence: number; inMs?: number };

async function makeEndpoint(
  partition: number,
  pending: Pending[],
  { isActive = true, ordering = "ordered", restsInMs = null }: Settings = {},
): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.transaction(async (sql) => {
    await sql`insert into endpoints (id, account_id, url, signing_secret, is_active, ordering)
      values (${id}, ${ACCOUNT}, 'http://a', 'sealed', ${isActive}, ${ordering}::ordering)`;
    await sql`update endpoints set rests_until = now() + ${restsInMs}::float8 * interval '1 millisecond' where id = ${id}`;
    await sql`insert into mailboxes (endpoint_id, partition, last_sequence) values (${id}, ${partition}, 9)`;
    for (const { sequence, inMs = null } of pending) {
      await sql`insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, next_attempt_at)
        values (${partition}, ${id}, ${sequence}, ${newId("wh")}, ${ACCOUNT},
          now() + ${inMs}::float8 * interval '1 millisecond')`;
    }
  });
  return id;
}

const headsOf = (partitions: number[]) =>
  database.db.run((sql) => findHeads(sql, partitions, WAITS)).then((heads) => new Set(heads));

test("finds the endpoints with due work in the given partitions", async () => {
  const due = await makeEndpoint(1, [{ sequence: 3 }, { sequence: 4 }]);
  const soon = await makeEndpoint(2, [{ sequence: 1, inMs: AHEAD_MS / 2 }]);
  // Due later than any wait, because Postgres' clock was set back.
  const ahead = await makeEndpoint(1, [{ sequence: 1, inMs: WAITS.longestWaitMs + 60_000 }]);
  await makeEndpoint(1, [{ sequence: 1, inMs: WAITS.longestWaitMs - 60_000 }]);
  const unordered = await makeEndpoint(2, [{ sequence: 1, inMs: 60_000 }], { ordering: "unordered" });
  await makeEndpoint(1, []);
  await makeEndpoint(1, [{ sequence: 1, inMs: 60_000 }, { sequence: 2 }]);
  await makeEndpoint(1, [{ sequence: 1 }], { isActive: false });
  await makeEndpoint(3, [{ sequence: 1 }]);
  expect(await headsOf([1, 2])).toEqual(
    new Set([
      { partition: 1, endpointId: due, lastSequence: 9 },
      { partition: 1, endpointId: ahead, lastSequence: 9 },
      { partition: 2, endpointId: soon, lastSequence: 9 },
      { partition: 2, endpointId: unordered, lastSequence: 9 },
    ]),
  );
});

test("skips an endpoint that rests until shortly before the rest ends", async () => {
  const rests = (restsInMs: number, ordering: string) =>
    makeEndpoint(5, [{ sequence: 1 }], { restsInMs, ordering });
  for (const ordering of ["ordered", "unordered"]) await rests(60_000, ordering);
  const found = [await rests(AHEAD_MS / 2, "ordered"), await rests(-60_000, "unordered")];
  // Longer than any rest, because Postgres' clock was set back.
  found.push(await rests(3_700_000, "ordered"));
  expect(await headsOf([5])).toEqual(
    new Set(found.map((endpointId) => ({ partition: 5, endpointId, lastSequence: 9 }))),
  );
});

/** Returns how often this transaction has scanned an index of the queue. */
async function scansOfQueue(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ scans: number }[]>`
    select idx_scan as scans from pg_stat_xact_user_tables where relname = 'queue'
  `;
  return row?.scans ?? Number.NaN;
}

test("reads only endpoints with work, however many others there are", async () => {
  const partitions = [10, 11, 12, 13];
  for (const partition of partitions) await makeEndpoint(partition, [{ sequence: 1 }, { sequence: 2 }]);
  await database.db.run(
    (sql) => sql`
      with others as (
        insert into endpoints (id, account_id, url, signing_secret)
        select gen_random_uuid(), ${ACCOUNT}, 'http://a', 'sealed' from generate_series(1, 1000) returning id
      )
      insert into mailboxes (endpoint_id, partition) select id, 10 from others
    `,
  );
  await database.db.transaction(async (sql) => {
    const before = await scansOfQueue(sql);
    await findHeads(sql, partitions, WAITS);
    // One scan for the first head of each partition, and one after each head.
    expect((await scansOfQueue(sql)) - before).toBeLessThanOrEqual(2 * partitions.length);
  });
});
