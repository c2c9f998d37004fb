import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Database } from "../../src/db/database";
import type { AnySql } from "../../src/db/pool";
import { arrayOf } from "../../src/db/sql/arrays";
import { attemptsAt } from "../../src/deliveries/attempts";
import { cancelLocked } from "../../src/deliveries/cancellation";
import { countColumns, countsOf, readCounts } from "../../src/deliveries/counts";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../src/domain/ids";
import type { HealthChange, Outcome, Verdict } from "../../src/domain/outcome";
import { recordOutcomes } from "../../src/recorder/record";
import { Recorder } from "../../src/recorder/recorder";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { failing } from "../support/failing";
import { until } from "../support/faults/until";
import { fetchedBy } from "../support/fetched";
import { outcomeWith } from "../support/outcome";
import { type TestDatabase, testDatabase, useDatabase } from "../support/postgres";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;
const PARTITION = 3;
const DELIVERIES = 6;
const DAY = 86_400_000;
const DISABLE_AFTER_MS = 5 * DAY;

/** The deliveries of each endpoint. */
const ids = new Map<EndpointId, { id: DeliveryId; sequence: number }[]>();
const database = await useDatabase();

/** Makes an unordered endpoint with pending deliveries, so that several of its outcomes can be written at once. */
async function makeEndpoint(isFailing: boolean): Promise<EndpointId> {
  const id = newId("ep");
  await database.db.transaction(async (sql) => {
    await sql`
      insert into endpoints (id, account_id, url, signing_secret, ordering, failing_since)
      values (${id}, ${ACCOUNT}, 'http://a', 's', 'unordered', case when ${isFailing} then now() - interval '5 days' end)`;
    await sql`
      insert into mailboxes (endpoint_id, partition, last_sequence) values (${id}, ${PARTITION}, ${DELIVERIES})`;
    ids.set(
      id,
      await sql<{ id: DeliveryId; sequence: number }[]>`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
        select ${PARTITION}, ${id}, n, gen_random_uuid(), ${ACCOUNT} from generate_series(1, ${DELIVERIES}::integer) n
        returning delivery_id as id, sequence`,
    );
  });
  return id;
}

function outcome(endpointId: EndpointId, sequence: number, status: number, health: HealthChange): Outcome {
  const verdict: Verdict = status === 200 ? { kind: "delivered" } : { kind: "retry", afterMs: 60_000 };
  return outcomeWith({
    partition: PARTITION,
    endpointId,
    accountId: ACCOUNT,
    sequence,
    event: null,
    attemptCount: 0,
    attempt: { status, startedAt: Date.now() },
    verdict,
    health,
  });
}

const record = (...outcomes: Outcome[]) =>
  database.db.run((sql) => recordOutcomes(sql, outcomes, DISABLE_AFTER_MS));

async function stateOf(id: EndpointId) {
  const [row] = await database.db.run(
    (sql) => sql`
      select e.is_active as active, e.failing_since is not null as failing, m.revision,
        (select count(*) from queue q where q.endpoint_id = e.id) as queued
      from endpoints e join mailboxes m on m.endpoint_id = e.id where e.id = ${id}`,
  );
  return row;
}

async function lockWaiters(): Promise<number> {
  const waiting = await database.db.run(
    (sql) =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

const someoneWaitsForALock = async () => (await lockWaiters()) > 0;

test("endpoints are locked before mailboxes, as everywhere: a record that waits for an endpoint holds no mailbox", async () => {
  const id = await makeEndpoint(false);
  const recording = await database.db.transaction(async (sql) => {
    await sql`select from endpoints where id = ${id} for update`;
    const rows = record(outcome(id, 1, 500, "failing"));
    await until(someoneWaitsForALock);
    await sql`select from mailboxes where endpoint_id = ${id} for update nowait`;
    return { rows };
  });
  expect(await recording.rows).toHaveLength(1);
  expect(await stateOf(id)).toMatchObject({ failing: true, revision: 2 });
});

test("several outcomes of an endpoint are written at once, and its revision counts one change", async () => {
  const id = await makeEndpoint(false);
  const rows = await record(
    outcome(id, 1, 200, "none"),
    outcome(id, 2, 500, "failing"),
    outcome(id, 3, 500, "failing"),
  );
  expect(rows).toHaveLength(3);
  expect(await stateOf(id)).toEqual({ active: true, failing: true, revision: 2, queued: 5 });
});

/** A failure that ends its delivery. */
function ending(endpointId: EndpointId, sequence: number, startedAt = Date.now()): Outcome {
  const failed = outcome(endpointId, sequence, 500, "failing");
  const attempt = { ...failed.attempt, startedAt };
  return { ...failed, attempt, verdict: { kind: "failed", nextAfterMs: null } };
}

async function setEndpoint(id: EndpointId, column: "failing_since" | "gone_since", ago: string) {
  await database.db.run(
    (sql) => sql`update endpoints set ${sql(column)} = now() - ${ago}::text::interval where id = ${id}`,
  );
}

async function reasonOf(id: EndpointId) {
  const [row] = await database.db.run(
    (sql) => sql`
      select disabled_reason as reason, inactive_since is not null as since from endpoints where id = ${id}`,
  );
  return row;
}

test("an endpoint that only failed for long is disabled with the second delivery that fails for good", async () => {
  const id = await makeEndpoint(true);
  await record(ending(id, 1));
  expect(await stateOf(id)).toMatchObject({ active: true });
  await record(ending(id, 2));
  expect(await stateOf(id)).toMatchObject({ active: false, failing: true });
  expect(await reasonOf(id)).toEqual({ reason: "failing", since: true });
});

test("an attempt that will be retried disables no endpoint, however long it has failed", async () => {
  const id = await makeEndpoint(true);
  for (const sequence of [1, 2, 3]) await record(outcome(id, sequence, 502, "still_failing"));
  expect(await stateOf(id)).toMatchObject({ active: true, failing: true });
});

test("a success beside failures counts, and resets the count", async () => {
  const id = await makeEndpoint(true);
  await record(ending(id, 1), outcome(id, 2, 200, "recovered"), ending(id, 3));
  expect(await stateOf(id)).toMatchObject({ active: true, failing: false });
  await record(outcome(id, 4, 500, "failing"));
  await setEndpoint(id, "failing_since", "6 days");
  await record(ending(id, 5));
  expect(await stateOf(id)).toMatchObject({ active: true, failing: true });
  await record(ending(id, 6));
  expect(await stateOf(id)).toMatchObject({ active: false });
});

test("trouble starts and lasts by Postgres' clock, whatever the dispatcher's clock says", async () => {
  for (const byMs of [-6 * DAY, 6 * DAY]) {
    const id = await makeEndpoint(false);
    for (const sequence of [1, 2, 3]) await record(ending(id, sequence, Date.now() + byMs));
    expect(await stateOf(id)).toMatchObject({ active: true, failing: true });
    await setEndpoint(id, "failing_since", "4 days 23 hours");
    await record(ending(id, 4, Date.now() + byMs));
    expect(await stateOf(id)).toMatchObject({ active: true, failing: true });
  }
});

test("a 410 counts if it comes twice, a minute apart, without a success between", async () => {
  const id = await makeEndpoint(false);
  for (const sequence of [1, 2]) await record(outcome(id, sequence, 410, "gone"));
  expect(await stateOf(id)).toMatchObject({ active: true, failing: true });
  await record(outcome(id, 3, 200, "recovered"));
  await record(outcome(id, 4, 410, "gone"));
  expect(await stateOf(id)).toMatchObject({ active: true });
  await setEndpoint(id, "gone_since", "61 seconds");
  await record(outcome(id, 5, 410, "gone"));
  expect(await stateOf(id)).toMatchObject({ active: false, failing: true, queued: 5 });
  expect(await reasonOf(id)).toEqual({ reason: "gone", since: true });
});

test("a receiver that wants no more disables its endpoint at once", async () => {
  const id = await makeEndpoint(false);
  await record(outcome(id, 1, 403, "unwanted"));
  expect(await stateOf(id)).toMatchObject({ active: false, queued: DELIVERIES });
  expect(await reasonOf(id)).toEqual({ reason: "unwanted", since: true });
});

test("an endpoint stores its last failure, and its revision counts only changes that dispatchers need", async () => {
  const id = await makeEndpoint(false);
  await record(outcome(id, 1, 500, "failing"));
  await record(outcome(id, 2, 502, "still_failing"), outcome(id, 3, 503, "still_failing"));
  const [row] = await database.db.run(
    (sql) => sql<{ status: number }[]>`
      select (last_failure ->> 'status')::integer as status from endpoints where id = ${id}`,
  );
  expect(row?.status).toBe(503);
  expect(await stateOf(id)).toMatchObject({ revision: 2 });
});

test("two concurrent records make the feed warn once, and recover once", async () => {
  const feed = await makeEndpoint(false);
  await database.db.run((sql) => sql`update endpoints set feed = true where id = ${feed}`);
  const reported = async (id: EndpointId) => {
    const rows = await database.db.run(
      (sql) => sql<{ event: string }[]>`
        select event from feed_outbox where facts ->> 'endpointId' = ${id} order by feed_outbox.id`,
    );
    return rows.map(({ event }) => event);
  };
  const id = await makeEndpoint(false);
  await record(outcome(id, 1, 500, "failing"));
  await setEndpoint(id, "failing_since", "2 days");
  /** Both have read the endpoint before either writes. */
  const atOnce = async (...outcomes: Outcome[]) => {
    const records = await database.db.transaction(async (sql) => {
      await sql`select from endpoints where id = ${id} for update`;
      const begun = outcomes.map((each) => record(each));
      await until(async () => (await lockWaiters()) === outcomes.length);
      return { begun };
    });
    await Promise.all(records.begun);
  };
  await atOnce(outcome(id, 2, 500, "still_failing"), outcome(id, 3, 500, "still_failing"));
  expect(await reported(id)).toEqual(["endpoint.failing"]);
  await atOnce(outcome(id, 4, 200, "recovered"), outcome(id, 5, 200, "recovered"));
  expect(await reported(id)).toEqual(["endpoint.failing", "endpoint.recovered"]);
  await database.db.run((sql) => sql`update endpoints set feed = false where id = ${feed}`);
});

async function restOf(id: EndpointId): Promise<number | null | undefined> {
  const [row] = await database.db.run(
    (sql) => sql<{ restsInMs: number | null }[]>`
      select (extract(epoch from rests_until - now()) * 1000)::float8 as "restsInMs" from endpoints where id = ${id}`,
  );
  return row?.restsInMs;
}

test("a rest is the longest requested one, and ends with a success after it, not during it", async () => {
  const id = await makeEndpoint(false);
  const asks = (sequence: number, restMs: number): Outcome => ({
    ...outcome(id, sequence, 429, "still_failing"),
    restMs,
  });
  await record(asks(1, 60_000), asks(2, 30_000), outcome(id, 3, 200, "recovered"));
  await record(asks(4, 10_000));
  await record(outcome(id, 5, 200, "recovered"));
  expect(await restOf(id)).toBeWithin(50_000, 60_000);
  // Dispatchers are notified of each rest, and of each recovery.
  expect(await stateOf(id)).toMatchObject({ revision: 4, failing: false });
  await database.db.run((sql) => sql`update endpoints set rests_until = now() where id = ${id}`);
  await record(outcome(id, 6, 200, "recovered"));
  expect(await restOf(id)).toBeNull();
});

/** Returns a delivery's attempts as they are read. `at` is in Unix milliseconds. */
async function readAttempts(id: EndpointId, sequence: number) {
  const [delivery] = ids.get(id)?.filter((each) => each.sequence === sequence) ?? [];
  return database.db.run(
    (sql) => sql`
      select attempt, status, error, error_detail as detail, location, (extract(epoch from started_at) * 1000)::float8 as at, duration_ms as ms,
        response_body as body
      from ${attemptsAt(sql, sql`${delivery?.id ?? null}::uuid`, sql`${id}::uuid`)} a order by attempt
    `,
  );
}

test("every attempt is read as it went, whether it is stored with the result or by itself", async () => {
  const id = await makeEndpoint(false);
  const at = 1_795_000_000_123;
  // A 206 marks one whose body broke off.
  const errorOf = (status: number) => ({ 0: "dns", 206: "connection_reset" })[status] ?? null;
  const tryOnce = (sequence: number, attemptCount: number, status: number, verdict: Verdict): Outcome => ({
    ...outcome(id, sequence, status, "none"),
    attemptCount,
    attempt: {
      status,
      error: errorOf(status),
      errorDetail: status === 0 ? "no_answer" : null,
      location: status === 302 ? "/elsewhere" : null,
      startedAt: at + attemptCount,
      durationMs: 17,
      responseBody: `answer ${attemptCount} "x"`,
      exchange: null,
    },
    verdict,
  });
  const retry: Verdict = { kind: "retry", afterMs: 1 };
  // All immediate successes alone, then beside others, so that both forms of the statement run.
  await record(tryOnce(1, 0, 204, { kind: "delivered" }));
  await record(
    tryOnce(2, 0, 200, { kind: "delivered" }),
    tryOnce(3, 0, 0, retry),
    tryOnce(4, 0, 302, VERDICTS.failure),
  );
  await record(tryOnce(3, 1, 200, { kind: "delivered" }));
  await record(tryOnce(5, 0, 206, { kind: "delivered" }));
  const read = (attemptCount: number, status: number) => ({
    attempt: attemptCount + 1,
    status,
    error: errorOf(status),
    detail: status === 0 ? "no_answer" : null,
    location: status === 302 ? "/elsewhere" : null,
    at: at + attemptCount,
    ms: 17,
    body: `answer ${attemptCount} "x"`,
  });
  expect<unknown>(await readAttempts(id, 1)).toEqual([read(0, 204)]);
  expect<unknown>(await readAttempts(id, 2)).toEqual([read(0, 200)]);
  expect<unknown>(await readAttempts(id, 3)).toEqual([read(0, 0), read(1, 200)]);
  expect<unknown>(await readAttempts(id, 4)).toEqual([read(0, 302)]);
  expect<unknown>(await readAttempts(id, 5)).toEqual([read(0, 206)]);
  expect<unknown>(await readAttempts(id, 6)).toEqual([]);
});

const VERDICTS = {
  success: { kind: "delivered" },
  failure: { kind: "failed", nextAfterMs: null },
  retry: { kind: "retry", afterMs: 1 },
} as const;

const accountCounts = (event?: string) => database.db.run((sql) => readCounts(sql, ACCOUNT, event));

test.each(Object.entries(VERDICTS))(
  "a stale owner's %s changes nothing, alone or beside another",
  async (_, verdict) => {
    const id = await makeEndpoint(false);
    await record(outcome(id, 1, 500, "none"));
    const [attempts, counts] = [await readAttempts(id, 1), await accountCounts()];
    const stale: Outcome = { ...outcome(id, 1, 200, "none"), verdict };
    expect(await record(stale)).toEqual([{ applied: false }]);
    expect(await accountCounts()).toEqual(counts);
    expect(await record(stale, outcome(id, 2, 500, "none"))).toEqual([
      { applied: false },
      { applied: true, revision: 1 },
    ]);
    expect(await readAttempts(id, 1)).toEqual(attempts);
    expect(await stateOf(id)).toMatchObject({ queued: DELIVERIES });
  },
);

/** Returns the deliveries in the queue that get a single attempt, up to which one, and whether they wait. */
async function singleAttempts(id: EndpointId) {
  return database.db.run(
    (sql) => sql`
      select sequence, single_attempt_to as "to", next_attempt_at > now() as waits from queue
      where endpoint_id = ${id} and single_attempt_to is not null`,
  );
}

async function setOrdering(id: EndpointId, ordering: string): Promise<void> {
  await database.db.run((sql) => sql`update endpoints set ordering = ${ordering}::ordering where id = ${id}`);
}

const USED_UP: Verdict = { kind: "failed", nextAfterMs: 60_000 };

test("a used up schedule leaves one attempt to each waiting delivery behind it, until one succeeds", async () => {
  const id = await makeEndpoint(false);
  await setOrdering(id, "ordered");
  const end = (sequence: number, verdict: Verdict) =>
    record({ ...outcome(id, sequence, 500, "none"), verdict });
  await end(1, USED_UP);
  expect<unknown>(await singleAttempts(id)).toEqual([{ sequence: 2, to: 6, waits: true }]);
  // A delivery accepted now has its whole schedule.
  await database.db.run(async (sql) => {
    await sql`
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select ${PARTITION}, ${id}, n, gen_random_uuid(), ${ACCOUNT} from generate_series(7, 8) n`;
    await sql`update mailboxes set last_sequence = 8 where endpoint_id = ${id}`;
  });
  for (const sequence of [2, 3, 4]) await end(sequence, USED_UP);
  expect<unknown>(await singleAttempts(id)).toEqual([{ sequence: 5, to: 6, waits: true }]);
  await end(5, USED_UP);
  await end(6, USED_UP);
  expect<unknown>(await singleAttempts(id)).toEqual([]);

  const recovering = await makeEndpoint(false);
  await setOrdering(recovering, "ordered");
  await record({ ...outcome(recovering, 1, 500, "none"), verdict: USED_UP });
  await record(outcome(recovering, 2, 200, "none"));
  expect<unknown>(await singleAttempts(recovering)).toEqual([]);
});

test("an endpoint stops at a delivery that used up its schedule, which stays pending", async () => {
  const stopped = (id: EndpointId, sequence: number): Outcome => ({
    ...outcome(id, sequence, 0, "exhausted"),
    verdict: { kind: "stop" },
  });
  const id = await makeEndpoint(false);
  await setOrdering(id, "ordered");
  await record(stopped(id, 1));
  expect(await stateOf(id)).toMatchObject({ active: false, failing: false, queued: DELIVERIES });
  expect(await reasonOf(id)).toEqual({ reason: "exhausted", since: true });
  expect<unknown>(await singleAttempts(id)).toEqual([]);
  // Another delivery succeeds in the same moment.
  const unordered = await makeEndpoint(false);
  await record(stopped(unordered, 1), outcome(unordered, 2, 200, "recovered"));
  expect(await stateOf(unordered)).toMatchObject({ active: false, failing: false, queued: DELIVERIES - 1 });
  expect(await reasonOf(unordered)).toEqual({ reason: "exhausted", since: true });
});

test("unordered deliveries each have their whole schedule", async () => {
  const id = await makeEndpoint(false);
  await record({ ...outcome(id, 1, 500, "none"), verdict: USED_UP });
  expect<unknown>(await singleAttempts(id)).toEqual([]);
});

test("each outcome counts once, for the account and for its event type", async () => {
  const id = await makeEndpoint(false);
  const event = crypto.randomUUID();
  const ended = (sequence: number, verdict: Verdict): Outcome => ({
    ...outcome(id, sequence, 200, "none"),
    event,
    verdict,
  });
  const before = await accountCounts();
  await record(ended(1, VERDICTS.success), ended(2, VERDICTS.success));
  await record(ended(3, VERDICTS.success), ended(4, VERDICTS.failure), ended(5, VERDICTS.retry));
  await record(ended(6, VERDICTS.failure));
  expect(await accountCounts(event)).toMatchObject({ delivered: 3, failed: 2 });
  const { delivered, failed } = before;
  expect(await accountCounts()).toMatchObject({ delivered: delivered + 3, failed: failed + 2 });
});

const anySuccesses = fc.uniqueArray(
  fc.record({
    sequence: fc.integer({ min: 1, max: 40 }),
    event: fc.constantFrom(null, "", "a.b", 'ä "quoted"\\'),
    status: fc.integer({ min: 200, max: 299 }),
    startedAt: fc.integer({ min: 1_795_000_000_000, max: 1_795_000_999_999 }),
    durationMs: fc.double({ min: 0, max: 9_000, noNaN: true }),
    responseBody: fc.option(fc.constantFrom("", "ok", '{"a","NULL"}\\', "\u2028\n")),
  }),
  { minLength: 1, maxLength: 12, selector: ({ sequence }) => sequence },
);

test("plain successes store, and answer, the same alone as beside another outcome", async () => {
  const databases = [await testDatabase(), await testDatabase()] as const;
  const [id, other] = [newId("ep"), newId("ep")];
  const deliveries = Array.from({ length: 40 }, () => newId("wh"));
  for (const { db } of databases) {
    await db.run(async (sql) => {
      await sql`insert into mailboxes (endpoint_id, partition, revision) values (${id}, ${PARTITION}, 7)`;
      // Every third delivery has been attempted already, so the dispatcher's state of it is wrong.
      await sql`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, attempt_count)
        select ${PARTITION}, ${id}, n, d, ${ACCOUNT}, (n % 3 = 0)::integer
        from unnest(${arrayOf(deliveries)}::uuid[]) with ordinality as q(d, n)`;
      await fill(sql, other, 100);
    });
  }
  const [alone, beside] = databases;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(anySuccesses, async (successes) => {
      const outcomes = successes.map(({ sequence, event, ...given }) => {
        const { attempt, ...rest } = outcome(id, sequence, 200, "none");
        return { ...rest, event, attempt: { ...attempt, ...given } };
      });
      const answers = await alone.db.run((sql) => recordOutcomes(sql, outcomes, DISABLE_AFTER_MS));
      const retry = outcome(other, ++runs, 500, "none");
      const all = await beside.db.run((sql) => recordOutcomes(sql, [...outcomes, retry], DISABLE_AFTER_MS));
      expect([...answers, { applied: true, revision: 0 }]).toEqual(all);
    }),
    { numRuns: 60, endOnFailure: true },
  );
  const contents = ({ db }: TestDatabase) =>
    db.run(async (sql) => [
      await sql`select * from results order by delivery_id`,
      await sql`select event, sum(delivered) as delivered from (
        select event, delivered from counters union all select event, delivered from counter_deltas
      ) c group by 1 order by 1`,
      await sql`select ${countColumns(sql)} from ${countsOf(sql, ACCOUNT)} c`,
      await sql`select * from queue where endpoint_id = ${id} order by sequence`,
    ]);
  const left = await contents(alone);
  expect(left).toEqual(await contents(beside));
  expect(left[0]?.length).toBeGreaterThan(10);
  await Promise.all(databases.map((each) => each.drop()));
});

test("a commit takes few outcomes of an account while others wait", async () => {
  const batches: string[][] = [];
  const onRecorded = (outcomes: readonly Outcome[]) => {
    batches.push(outcomes.map(({ accountId }) => accountId));
  };
  const options = { clock: systemClock, log: createLog("silent"), disableAfterMs: DAY };
  const recorder = new Recorder({ db: database.db, ...options, onRecorded });
  const [many, one] = [newId("acc"), newId("acc")];
  // Outcomes of deliveries that no longer exist.
  const record = (accountId: AccountId) =>
    recorder.record({ ...outcome(newId("ep"), 1, 200, "none"), accountId });
  await Promise.all([...Array.from({ length: 300 }, () => record(many)), record(one)]);
  const first = batches.findIndex((each) => each.includes(one));
  expect(first).toBeLessThan(3);
  expect(batches[first]?.length).toBeLessThanOrEqual(26);
});

test("an outcome need not wait for a commit that is under way", async () => {
  const [locked, other] = [await makeEndpoint(false), await makeEndpoint(false)];
  // No time passes.
  const clock = { ...systemClock, after: () => () => {} };
  const options = { clock, log: createLog("silent"), disableAfterMs: DAY };
  const recorder = new Recorder({ db: database.db, ...options });
  const { release, isLocked, unlocked } = lockDeliveries(locked);
  await isLocked;
  const held = recorder.record(outcome(locked, 1, 200, "none"));
  await new Promise(setImmediate);
  expect(await recorder.record(outcome(other, 1, 200, "none"))).toMatchObject({ applied: true });
  release();
  await unlocked;
  expect(await held).toMatchObject({ applied: true });
});

/** Locks an endpoint's queue, until `release`. */
function lockDeliveries(endpointId: EndpointId) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: noteLocked } = Promise.withResolvers<void>();
  const unlocked = database.db.transaction(async (sql) => {
    await sql`select from queue where endpoint_id = ${endpointId} for update`;
    noteLocked();
    await released;
  });
  return { release, isLocked, unlocked };
}

test("a locked delivery delays the outcomes of others only for a moment", async () => {
  const [locked, other] = [await makeEndpoint(false), await makeEndpoint(false)];
  const options = {
    clock: systemClock,
    log: createLog("silent"),

    disableAfterMs: DAY,
  };
  const recorder = new Recorder({ db: database.db, ...options });
  const { release, isLocked, unlocked } = lockDeliveries(locked);
  await isLocked;
  let isHeld = true;
  const held = recorder.record(outcome(locked, 1, 200, "none")).finally(() => {
    isHeld = false;
  });
  await new Promise(setImmediate);
  for (const sequence of [1, 2, 3]) {
    expect(await recorder.record(outcome(other, sequence, 200, "none"))).toMatchObject({
      applied: true,
    });
  }
  expect(isHeld).toBe(true);
  release();
  await unlocked;
  expect(await held).toMatchObject({ applied: true });
});

function newRecorder(db: Database): Recorder {
  const options = {
    clock: systemClock,
    log: createLog("silent"),

    disableAfterMs: DAY,
  };
  return new Recorder({ db, ...options });
}

test("an outcome is written, however often Postgres is down or rolls it back for a deadlock", async () => {
  const id = await makeEndpoint(false);
  const recorder = newRecorder(failing(database.db, ["away", "deadlock", "away"]));
  expect(await recorder.record(outcome(id, 1, 200, "none"))).toMatchObject({ applied: true });
  expect(await stateOf(id)).toMatchObject({ queued: DELIVERIES - 1 });
});

test("an outcome that Postgres refuses fails no other", async () => {
  const id = await makeEndpoint(false);
  const recorder = newRecorder(database.db);
  const sound = [1, 3].map((sequence) => outcome(id, sequence, 200, "none"));
  const other = outcome(id, 2, 200, "none");
  const refused = { ...other, attempt: { ...other.attempt, responseBody: "\0" } };
  const [first, second, third] = await Promise.allSettled(
    [...sound.slice(0, 1), refused, ...sound.slice(1)].map((each) => recorder.record(each)),
  );
  expect([first?.status, second?.status, third?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await stateOf(id)).toMatchObject({ queued: DELIVERIES - 2 });
});

describe.each([
  { when: "empty", waiting: 0 },
  { when: "all but empty", waiting: 1 },
])("with statistics of a queue that was $when", ({ waiting }) => {
  let own: TestDatabase;
  const id = newId("ep");

  beforeAll(async () => {
    own = await testDatabase();
    await own.db.run((sql) => sql`alter table queue set (autovacuum_enabled = false)`);
    await own.db.run((sql) => fill(sql, id, 20_000));
    await own.db.run((sql) => sql`delete from queue where sequence > ${waiting}`);
    await own.db.run((sql) => sql`analyze queue`);
    await own.db.run((sql) => sql`delete from queue`);
    await own.db.run((sql) => fill(sql, id, 5_000));
  });
  afterAll(() => own.drop());

  const [success, failure] = [outcome(id, 7, 200, "none"), outcome(id, 8, 500, "none")];
  test.each([
    {
      of: "a success",
      changes: 1,
      change: (sql: AnySql) => recordOutcomes(sql, [success], DISABLE_AFTER_MS),
    },
    {
      of: "a failure",
      changes: 1,
      change: (sql: AnySql) => recordOutcomes(sql, [failure], DISABLE_AFTER_MS),
    },
    {
      of: "both at once",
      changes: 2,
      change: (sql: AnySql) => recordOutcomes(sql, [success, failure], DISABLE_AFTER_MS),
    },
    { of: "a cancellation", changes: 1, change: (sql: AnySql) => cancel(sql, id, 9) },
  ])("$of: a delivery is looked up by its key", async ({ changes, change }) => {
    expect(await fetchedBy(own, "queue", (db) => db.run<unknown>(change))).toBe(changes);
  });
});

function cancel(sql: AnySql, endpointId: EndpointId, sequence: number) {
  return sql`
    with doomed as (
      select ${PARTITION}::smallint as partition, ${endpointId}::uuid as endpoint_id, ${sequence}::bigint as sequence
    ),
    ${cancelLocked(sql, "requested")} select from gone
  `;
}

async function fill(sql: AnySql, endpointId: EndpointId, deliveries: number): Promise<void> {
  await sql`
    insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
    select ${PARTITION}, ${endpointId}, n, gen_random_uuid(), ${ACCOUNT} from generate_series(1, ${deliveries}::integer) n`;
}
