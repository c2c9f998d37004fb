import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "../../src/db/database";
import { eventIdFrom } from "../../src/db/sql/event-key";
import { foldCounterDeltas } from "../../src/deliveries/counter-deltas";
import { Deliveries } from "../../src/deliveries/deliveries";
import { BEFORE_ALL_IDS } from "../../src/deliveries/lists/cursor";
import { Stats } from "../../src/deliveries/stats";
import type { DeliveryStatus } from "../../src/domain/delivery-status";
import { type AccountId, type EndpointId, newId, timeOf } from "../../src/domain/ids";
import { GroupCommit } from "../../src/intake/sends/group-commit";
import { chooseShards } from "../../src/intake/usage";
import { expirePending } from "../../src/retention/expiry";
import { readTimeRanges } from "../../src/retention/range-tables";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { median } from "../bench/figures";
import { type Accepted, idAt, insertDelivery, Ledger } from "../deliveries/ledger";
import { untilBlocked } from "../support/blocked";
import { until } from "../support/faults/until";
import { type TestDatabase, testDatabase, useDatabase } from "../support/postgres";

const HOUR = 3_600_000;
/** The shortest time range, which the shortest retention has too. */
const RANGE = 3 * HOUR;
/**
 * The youngest range that may go if one range's time is kept, counted back from the present one, and the oldest with any
 * delivery. Whether the second may go depends on the minute.
 */
const [YOUNGEST_EXPIRED, OLDEST] = [3, 6];
const ENDINGS = ["delivered", "failed", "cancelled"] as const;
const EVENTS = ["order.created", "order.paid", null];
const log = createLog("silent");

let database: TestDatabase;
let ledger: Ledger;
let deliveries: Deliveries;
let stats: Stats;
/** Two accounts, each with an endpoint. */
let tenants: { account: AccountId; endpoint: EndpointId }[];

/** A database that was used since the oldest range. Copied for each test, since creating its time ranges takes longer. */
const lived = await useDatabase();
await live(lived.db);
await lived.db.close();

async function open(original?: TestDatabase): Promise<void> {
  database = await testDatabase(original);
  ledger = new Ledger(database.db);
  deliveries = new Deliveries(database.db);
  stats = new Stats(database.db);
  tenants = [];
  for (let i = 0; i < 2; i++) {
    const account = await ledger.account();
    tenants.push({ account, endpoint: await ledger.endpoint(account) });
  }
  await holdAll();
}
afterEach(() => database.drop());

/** Deliveries of inactive endpoints are held: none is in flight. */
async function holdAll(): Promise<void> {
  await database.db.run(
    (sql) => sql`update endpoints set is_active = false, inactive_since = now() - interval '1 day'`,
  );
}

/** Makes the retention of a process, with a retained time and with a clock some ranges ahead. */
function retention({ inRanges = 0, keptRanges = 1, db = database.db, countedAtOnce = 2 } = {}): Retention {
  const clock = { ...systemClock, now: () => Date.now() + inRanges * RANGE };
  return new Retention({ db, clock, log, retentionMs: keptRanges * RANGE, countedAtOnce });
}

/** Creates time ranges as if the service had run since the oldest one: seven ahead each time. */
async function live(db = database.db): Promise<void> {
  for (let range = OLDEST; range > 0; range -= 8) await retention({ db, inRanges: -range }).extend();
  await retention({ db }).extend();
}

/** Returns the beginning of a range, counted back from the present one. */
function rangeAgo(ranges: number): number {
  return (Math.floor(Date.now() / RANGE) - ranges) * RANGE;
}

type Made = Accepted & { status: DeliveryStatus };

/** Creates a delivery with each ending, and pending ones if wanted, some ranges ago. */
async function make(rangesAgo: number, pending = 0): Promise<Made[]> {
  const made: Made[] = [];
  const statuses: DeliveryStatus[] = [...ENDINGS, ...Array<"pending">(pending).fill("pending")];
  for (const [i, status] of statuses.entries()) {
    const { account, endpoint } = tenant(rangesAgo + i);
    const accepted = await ledger.accept(
      account,
      endpoint,
      EVENTS[i % 3] ?? null,
      idAt(rangeAgo(rangesAgo) + i),
    );
    if (status !== "pending") await ledger.end(accepted, { status });
    made.push({ ...accepted, status });
  }
  return made;
}

function tenant(i: number) {
  const one = tenants[Math.abs(i % 2)];
  if (!one) throw new Error("there are two");
  return one;
}

async function idsIn(table: "deliveries" | "results"): Promise<string[]> {
  const rows = await database.db.run((sql) =>
    table === "deliveries"
      ? sql<{ id: string }[]>`select id from deliveries order by id`
      : sql<{ id: string }[]>`select delivery_id as id from results order by delivery_id`,
  );
  return rows.map(({ id }) => id);
}

function partitions() {
  return database.db.transaction((sql) => readTimeRanges(sql));
}

/** Checks that every figure shown equals the rows. */
async function expectRightCounts(): Promise<void> {
  await database.db.run(foldCounterDeltas);
  const differing = await database.db.run(
    (sql) => sql`
      with counted as (
        select account_id, event, sum(accepted) as accepted, sum(delivered) as delivered, sum(failed) as failed,
          sum(cancelled) as cancelled
        from counters group by 1, 2
      ),
      there as (
        select d.account_id, coalesce(d.event, '') as event, count(*) as accepted,
          count(*) filter (where r.status = 'delivered') as delivered,
          count(*) filter (where r.status = 'failed') as failed,
          count(*) filter (where r.status = 'cancelled') as cancelled
        from deliveries d left join results r on r.delivery_id = d.id group by 1, 2
      )
      select * from counted c full join there t using (account_id, event)
      where (coalesce(c.accepted, 0), coalesce(c.delivered, 0), coalesce(c.failed, 0), coalesce(c.cancelled, 0))
        <> (coalesce(t.accepted, 0), coalesce(t.delivered, 0), coalesce(t.failed, 0), coalesce(t.cancelled, 0))
    `,
  );
  expect([...differing]).toEqual([]);
  expect(await sumsOf("totals")).toEqual(await sumsOf("counters"));
  for (const { account } of tenants) {
    const { totalDeliveries } = await stats.of(account);
    const { deliveries: listed, total } = await deliveries.pageForm(account, { page: 1, perPage: 100 });
    expect(total).toBe(totalDeliveries);
    expect(listed.length).toBe(Math.min(total, 100));
  }
}

function sumsOf(table: "totals" | "counters") {
  return database.db.run(async (sql) => [
    ...(await sql`
      select account_id, sum(accepted) as accepted, sum(delivered) as delivered, sum(failed) as failed,
        sum(cancelled) as cancelled
      from ${sql(table)} group by 1 order by 1
    `),
  ]);
}

test("a new installation has time ranges of now and the near future, and stores deliveries of any time", async () => {
  await open();
  await retention().extend();
  const ranges = (await partitions()).map(({ range }) => range);
  const present = Math.floor(Date.now() / RANGE) * RANGE;
  expect(ranges).toEqual([
    { from: null, to: present },
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ from: present + n * RANGE, to: present + (n + 1) * RANGE })),
    { from: present + 8 * RANGE, to: null },
  ]);
  const { account, endpoint } = tenant(0);
  for (const at of [0, present - 400 * RANGE, present, present + RANGE, present + 400 * RANGE, 2 ** 48 - 1]) {
    await ledger.accept(account, endpoint, null, idAt(at));
  }
  await expectRightCounts();
});

test("every time range is stored alike, whenever it was created", async () => {
  await open();
  const stored = () =>
    database.db.run(async (sql) => [
      ...(await sql`
        select distinct p.relname, c.reloptions, (
          select count(*) from pg_index x where x.indrelid = c.oid
        ) as indexes
        from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
        where p.relname in ('deliveries', 'results', 'attempts') order by 1
      `),
    ]);
  const before = await stored();
  await live();
  await retention().maintain();
  expect(before).toHaveLength(3);
  expect(await stored()).toEqual(before);
});

test("rows written before their time range was created are moved into it", async () => {
  await open();
  const made = [...(await make(0, 1)), ...(await make(5, 1)), ...(await make(4, 1)), ...(await make(-2, 1))];
  await live();
  for (const { id, status, accountId } of made) {
    expect(await deliveries.get(accountId, id)).toMatchObject({ id, status });
  }
  const counts = await database.db.run(
    (sql) => sql<{ n: number }[]>`select count(*) as n from deliveries group by tableoid`,
  );
  expect(counts.map(({ n }) => n)).toEqual([4, 4, 4, 4]);
  await expectRightCounts();
});

test("rows older than the retention are deleted, also deliveries that were pending until then", async () => {
  await open(lived);
  const made: Made[] = [];
  for (let range = OLDEST; range >= YOUNGEST_EXPIRED; range--)
    made.push(...(await make(range, range % 3 === 0 ? 1 : 0)));
  made.push(...(await make(1)), ...(await make(0, 1)));
  const isYoung = ({ id }: Made) => timeOf(id) >= rangeAgo(1);
  const young = made.filter(isYoung);
  const idsOf = (some: Made[]) => some.map(({ id }) => id).sort();
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual(idsOf(young));
  expect(await idsIn("results")).toEqual(idsOf(young.filter(({ status }) => status !== "pending")));
  await expectRightCounts();
});

test("nothing is deleted while an account moves, since some of its rows may be in two cells", async () => {
  await open(lived);
  const made = await make(OLDEST);
  const account = tenants[0]?.account ?? "";
  await database.db.run(
    (sql) => sql`insert into moves (account_id, deadline) values (${account}, 'infinity')`,
  );
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual(made.map(({ id }) => id).sort());
  await database.db.run((sql) => sql`delete from moves`);
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual([]);
});

test("deliveries pending for longer than the retention fail, in bounded steps and in each endpoint's order", async () => {
  await open(lived);
  const made: Accepted[] = [];
  for (const { account, endpoint } of tenants) {
    for (const age of [RANGE + HOUR, RANGE + HOUR, RANGE + HOUR, RANGE - HOUR]) {
      made.push(await ledger.accept(account, endpoint, "order.paid", idAt(Date.now() - age)));
    }
  }
  let rests = 0;
  const expired = await expirePending(
    database.db,
    Date.now() - RANGE,
    async () => {
      rests++;
      const overtaken = await database.db.run(
        (sql) => sql`
          select from deliveries d join results r on r.delivery_id = d.id
          join queue q on q.endpoint_id = d.endpoint_id and q.sequence < d.sequence`,
      );
      expect(overtaken).toHaveLength(0);
      return true;
    },
    { endpoints: 1, deliveries: 2 },
  );
  expect(expired).toBe(6);
  expect(rests).toBeGreaterThanOrEqual(4);
  for (const { id, accountId } of made) {
    const isOld = timeOf(id) < Date.now() - RANGE;
    const end = isOld ? { status: "failed", endReason: "expired" } : { status: "pending", endReason: null };
    expect(await deliveries.get(accountId, id)).toMatchObject({ ...end, attemptCount: 0 });
  }
  await expectRightCounts();
  await retention().maintain();
  expect(await idsIn("results")).toHaveLength(6);
});

test.each(["ordered", "by_key", "unordered"])(
  "a delivery that may be in flight is left to its receiver: %s",
  async (ordering) => {
    await open(lived);
    const { account, endpoint } = tenant(0);
    await database.db.run(
      (sql) => sql`
        update endpoints set is_active = true, inactive_since = null, ordering = ${ordering}::ordering
        where id = ${endpoint}`,
    );
    const made: Accepted[] = [];
    for (let i = 0; i < 5; i++)
      made.push(await ledger.accept(account, endpoint, "order.paid", idAt(Date.now() - RANGE - HOUR)));
    // The first four share a key. The second waits for its retry, and the third one's is due.
    await database.db.run(
      (sql) => sql`
        update queue set ordering_key = case when place < 5 then 'a' else 'b' end,
          next_attempt_at = case place when 2 then now() + interval '1 hour' when 3 then now() end
        from (select delivery_id as id, row_number() over (order by sequence) as place from queue) p
        where delivery_id = p.id`,
    );
    await expirePending(database.db, Date.now() - RANGE, async () => true);
    const states = await Promise.all(made.map(({ id, accountId }) => deliveries.get(accountId, id)));
    const kept = { ordered: [1], by_key: [1, 5], unordered: [1, 3, 4, 5] }[ordering];
    const pending = states.flatMap((each, i) => (each?.status === "pending" ? [i + 1] : []));
    expect<unknown>(pending).toEqual(kept);
  },
);

test("events older than the retention are deleted, also those that no endpoint wanted", async () => {
  await open(lived);
  const [{ account } = { account: newId("acc") }] = tenants;
  const makeEvent = async (rangesAgo: number) => {
    const id = eventIdFrom(idAt(rangeAgo(rangesAgo) + 5));
    await database.db.run(
      (sql) => sql`
        insert into events (id, account_id, data, delivery_count) values (${id}, ${account}, '{}', 0)`,
    );
    return id;
  };
  for (const rangesAgo of [OLDEST, YOUNGEST_EXPIRED + 2, YOUNGEST_EXPIRED]) await makeEvent(rangesAgo);
  const young = [await makeEvent(1), await makeEvent(0)];
  await make(YOUNGEST_EXPIRED + 1);
  await retention().maintain();
  const left = await database.db.run((sql) => sql<{ id: string }[]>`select id from events order by id`);
  expect<string[]>(left.map(({ id }) => id)).toEqual(young.toSorted());
  await expectRightCounts();
});

test("the record of erased payloads is deleted with the deliveries", async () => {
  await open(lived);
  const made = [...(await make(OLDEST)), ...(await make(0))];
  await database.db.run(
    (sql) => sql`insert into erasures (delivery_id) select id from deliveries on conflict do nothing`,
  );
  await retention().maintain();
  const left = await database.db.run((sql) => sql<{ id: string }[]>`select delivery_id as id from erasures`);
  expect(left.map(({ id }) => id).sort()).toEqual(await idsIn("deliveries"));
  expect(left.length).toBeLessThan(made.length);
});

test("ended jobs are deleted too, and running ones stay", async () => {
  await open(lived);
  await make(OLDEST);
  const { account } = tenant(0);
  const makeJob = (state: string, endedRangesAgo: number | null) => {
    const endedAt = endedRangesAgo === null ? null : new Date(rangeAgo(endedRangesAgo));
    return database.db.run(
      (sql) => sql`
        insert into jobs (id, account_id, kind, state, created_before, position, created_at, completed_at)
        values (${newId("job")}, ${account}, 'replay', ${state}::job_state, now(), ${BEFORE_ALL_IDS},
          now() - interval '1 year', ${endedAt})
      `,
    );
  };
  await makeJob("completed", OLDEST + 1);
  await makeJob("failed", OLDEST + 1);
  await makeJob("cancelled", 0);
  await makeJob("running", null);
  await retention().maintain();
  const left = await database.db.run((sql) => sql<{ state: string }[]>`select state from jobs`);
  expect(left.map(({ state }) => state).sort()).toEqual(["cancelled", "running"]);
});

test("all related rows are deleted with the deliveries, before any statement has to wait", async () => {
  await open(lived);
  await make(OLDEST);
  const { account } = tenant(0);
  await database.db.run((sql) => sql`insert into erasures (delivery_id) select id from deliveries`);
  await database.db.run(
    (sql) => sql`
      insert into jobs (id, account_id, kind, state, created_before, position, completed_at)
      values (${newId("job")}, ${account}, 'replay', 'completed', now(), ${BEFORE_ALL_IDS}, ${new Date(rangeAgo(OLDEST + 1))})`,
  );
  await refuseWhileOthersWait(["erasures", "jobs", "totals", "counters"]);
  await retention().maintain();
  const left = await database.db.run((sql) => sql`select from erasures union all select from jobs`);
  expect(left).toHaveLength(0);
});

/** Tables that no transaction may change while it blocks reads of the deliveries. */
async function refuseWhileOthersWait(tables: readonly string[]): Promise<void> {
  await database.db.run((sql) =>
    sql.unsafe(`
      create function refuse_if_others_wait() returns trigger language plpgsql as $$
      begin
        if exists (select from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'
            and relation = 'deliveries'::regclass) then
          raise 'others wait for this';
        end if;
        return coalesce(new, old);
      end
      $$`),
  );
  for (const table of tables) {
    await database.db.run((sql) =>
      sql.unsafe(`
        create trigger refuse_if_others_wait before insert or delete on ${table}
        for each row execute function refuse_if_others_wait()`),
    );
  }
}

test("reads under way through a dropped time range continue with the others", async () => {
  await open(lived);
  const old = [...(await make(5)), ...(await make(4))];
  const young = await make(1);
  const { account } = tenant(0);
  const mine = (some: Made[]) => some.filter((each) => each.accountId === account).map(({ id }) => id);
  const page = await deliveries.cursorForm(account, { limit: mine(young).length + 1 });
  const step = await deliveries.iterate(account, { from: "start", limit: 1 });
  expect(page.next).not.toBeNull();
  expect(step.data.map(({ id }) => id)).toEqual(mine(old).slice(0, 1));
  await retention().maintain();

  const [gone] = mine(old);
  expect(gone && (await deliveries.get(account, gone))).toBeNull();
  const rest = await deliveries.cursorForm(account, { limit: 10, after: page.next ?? undefined });
  expect(rest).toEqual({ data: [], next: null });
  const next = await deliveries.iterate(account, { from: step.position, limit: 10 });
  expect(next.data.map(({ id }) => id)).toEqual(mine(young));
});

test("processes that start it at the same time do it once", async () => {
  await open(lived);
  for (let range = OLDEST; range > YOUNGEST_EXPIRED; range--) await make(range, range % 4 === 0 ? 1 : 0);
  const others = [1, 2, 3].map(() => connect());
  await Promise.all([retention(), ...others.map((db) => retention({ db }))].map((each) => each.maintain()));
  await expectRightCounts();
  await retention().maintain();
  const left = await idsIn("deliveries");
  expect(left).toEqual([]);
  await expectRightCounts();
  await Promise.all(others.map((db) => db.close()));
});

test("a clock that is ahead drops nothing young", async () => {
  await open(lived);
  const made = await make(1);
  await retention({ inRanges: 10_000 }).maintain();
  expect(await idsIn("deliveries")).toEqual(made.map(({ id }) => id).sort());
});

test("a process that dies in the middle leaves everything as it was", async () => {
  await open(lived);
  const made = await make(5);
  const before = await partitions();
  const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // A reader delays it, so that it is hit in the middle.
  const reading = database.db.transaction(async (sql) => {
    await sql`select from deliveries limit 1`;
    began.resolve();
    await released.promise;
  });
  await began.promise;
  const other = Bun.spawn([process.execPath, join(import.meta.dir, "maintaining.ts"), database.url]);
  await until(terminateMaintenance, { pollMs: 1 });
  other.kill("SIGKILL");
  await other.exited;
  released.resolve();
  await reading;
  expect(await idsIn("deliveries")).toEqual(made.map(({ id }) => id).sort());
  expect(await partitions()).toEqual(before);
  await expectRightCounts();
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual([]);
  await expectRightCounts();
});

test("tables that are in use for a moment are retried", async () => {
  await open(lived);
  await make(5);
  const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reading = database.db.transaction(async (sql) => {
    await sql`select from deliveries limit 1`;
    began.resolve();
    await released.promise;
  });
  await began.promise;
  const after = (_: number, fire: () => void) => {
    released.resolve();
    reading.then(fire);
    return () => {};
  };
  const clock = { ...systemClock, after };
  await new Retention({ db: database.db, clock, log, retentionMs: RANGE }).maintain();
  expect(await idsIn("deliveries")).toEqual([]);
});

test("a delivery accepted while its time range goes is kept, and counted", async () => {
  await open(lived);
  const made = await make(5);
  const { account, endpoint } = tenant(0);
  const late = { id: idAt(rangeAgo(5) + 99), accountId: account, endpointId: endpoint, event: null };
  const maintaining = await database.db.transaction(async (sql) => {
    await insertDelivery(sql, late, "{}");
    const done = retention().maintain();
    await untilBlocked(database.db);
    return { done };
  });
  await maintaining.done;
  expect(await idsIn("deliveries")).toEqual([...made.map(({ id }) => id), late.id].sort());
  await expectRightCounts();
});

test("a large time range is counted in pieces, and figures change only when it is dropped", async () => {
  await open(lived);
  await make(5);
  await make(5);
  const before = await sumsOf("totals");
  await maintainForSteps(2);
  expect(await countedSoFar()).toBe(4);
  expect(await sumsOf("totals")).toEqual(before);
  expect(await idsIn("deliveries")).toHaveLength(6);
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual([]);
  expect(await countedSoFar()).toBe(0);
  await expectRightCounts();
});

test("the queue is scanned as often, however many steps a count takes", async () => {
  const scans: number[] = [];
  for (const countedAtOnce of [1, 100]) {
    await open(lived);
    for (let i = 0; i < 4; i++) await make(5);
    const db = database.open({ size: 1 });
    await retention({ db, countedAtOnce }).maintain();
    expect(await idsIn("deliveries")).toEqual([]);
    scans.push(await scansOfQueue(db));
    await database.drop();
  }
  expect(scans[0]).toBeGreaterThan(0);
  expect(scans[0]).toBe(scans[1] ?? 0);
});

/** Counts the scans in the transactions of a database that has one connection for them. */
async function scansOfQueue(db: Database): Promise<number> {
  await db.transaction((sql) => sql`select pg_stat_force_next_flush()`);
  const [row] = await database.db.run(
    (sql) => sql<{ n: number }[]>`select seq_scan as n from pg_stat_user_tables where relname = 'queue'`,
  );
  return row?.n ?? 0;
}

test("rows that arrive behind the position of the count are counted too", async () => {
  await open(lived);
  await make(5);
  await maintainForSteps(1);
  await make(5);
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual([]);
  await expectRightCounts();
});

test("a transaction older than the expired rows delays the drop, without repeated counts", async () => {
  await open(lived);
  await database.db.transaction(async (sql) => {
    await sql`select pg_current_xact_id()`;
    await make(5);
    const tired = new AbortController();
    let rests = 0;
    const after = (_: number, fire: () => void) => {
      if (++rests === 20) tired.abort();
      queueMicrotask(fire);
      return () => {};
    };
    const clock = { ...systemClock, after };
    const one = new Retention({ db: database.db, clock, log, retentionMs: RANGE, countedAtOnce: 2 });
    await one.maintain(tired.signal);
    expect(tired.signal.aborted).toBe(false);
    expect(one.failures).toBe(1);
    expect(await idsIn("deliveries")).toHaveLength(3);
  });
  await retention().maintain();
  expect(await idsIn("deliveries")).toEqual([]);
  await expectRightCounts();
});

/** Runs maintenance for a number of steps and then stops, as a process that dies. */
async function maintainForSteps(steps: number): Promise<void> {
  const stopping = new AbortController();
  let rests = 0;
  const after = (_: number, fire: () => void) => {
    if (++rests === steps) stopping.abort();
    queueMicrotask(fire);
    return () => {};
  };
  const clock = { ...systemClock, after };
  const one = new Retention({ db: database.db, clock, log, retentionMs: RANGE, countedAtOnce: 2 });
  await one.maintain(stopping.signal);
  expect(rests).toBe(steps);
}

async function countedSoFar(): Promise<number> {
  const [row] = await database.db.run(
    (sql) => sql<{ n: number }[]>`select coalesce(sum(accepted), 0)::int as n from retention_counts`,
  );
  return row?.n ?? 0;
}

/** Terminates the connection that waits for the tables with its counts done. Returns whether there was one. */
async function terminateMaintenance(): Promise<boolean> {
  const rows = await database.db.run(
    (sql) => sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'lock table%exclusive mode' and state = 'active'
        and pid <> pg_backend_pid()
    `,
  );
  return rows.length > 0;
}

test("webhooks are accepted meanwhile, without an error or a noticeable wait", async () => {
  await open(lived);
  await database.db.run((sql) => sql`update accounts set plan = 'pro'`);
  for (let range = OLDEST; range >= YOUNGEST_EXPIRED; range--) await makeMany(range, 2_000);
  const db = connect();
  const intake = new GroupCommit({
    db,
    patient: db,
    commitsAtOnce: 2,
    clock: systemClock,
    shard: chooseShards(0).sends,
    maxQueued: 1_000,
    onAccepted: () => {},
  });
  const waits: number[] = [];
  let done = false;
  const sending = tenants.map(async ({ account, endpoint }) => {
    while (!done) {
      const startedAt = performance.now();
      const send = {
        id: newId("wh"),
        accountId: account,
        endpointId: endpoint,
        event: "order.paid",
        orderingKey: null,
        data: "{}",
        idempotency: null,
      };
      expect(await intake.accept(send)).toMatchObject({ kind: "accepted" });
      waits.push(performance.now() - startedAt);
    }
  });
  await until(() => waits.length > 20);
  const usual = median(waits);
  // Every old row goes, and a longer retention needs new time ranges.
  await retention({ countedAtOnce: 500 }).maintain();
  await retention({ keptRanges: 365 }).extend();
  const before = waits.length;
  await until(() => waits.length > before + 20);
  done = true;
  await Promise.all(sending);
  await expectRightCounts();
  // On a busy machine some wait for long as it is.
  expect(Math.max(...waits)).toBeLessThan(Math.max(3_000, 10 * usual));
  await db.close();
});

/** Creates ended deliveries of one range in one statement. */
async function makeMany(rangesAgo: number, count: number): Promise<void> {
  const start = rangeAgo(rangesAgo);
  const { account, endpoint } = tenant(0);
  await database.db.run(
    (sql) => sql`
      with totalled as (
        insert into totals as t (account_id, accepted, delivered)
        select ${account}::uuid, ${count}::bigint, ${count}::bigint
        on conflict (account_id) do update
          set accepted = t.accepted + excluded.accepted, delivered = t.delivered + excluded.delivered
      ),
      made as materialized (
        select (lpad(to_hex(${start}::bigint + n), 12, '0') || '7000' || '8' || left(md5(n::text), 15))::uuid as id
        from generate_series(1, ${count}::bigint) n
      ),
      stored as (
        insert into deliveries (id, account_id, endpoint_id, event, data)
        select id, ${account}::uuid, ${endpoint}::uuid, 'order.old', '{}' from made
      ),
      ended as (
        insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
        select id, ${account}::uuid, ${endpoint}::uuid, 'delivered', 1, now() from made
      )
      insert into counters as c (account_id, event, accepted, delivered)
      select ${account}::uuid, 'order.old', ${count}::bigint, ${count}::bigint
      on conflict (account_id, event) do update
        set accepted = c.accepted + excluded.accepted, delivered = c.delivered + excluded.delivered
    `,
  );
}

/** Opens connections of another process. */
function connect(): Database {
  const { url } = database;
  return new Database({ url, size: 4, statementTimeoutMs: 10_000, queryTimeoutMs: 10_000, log });
}
