import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Database } from "../../src/db/database";
import type { AnySql, Sql, TransactionSql } from "../../src/db/pool";
import { ALL_EVENTS } from "../../src/endpoints/event-filter";
import { acceptDraft } from "../../src/intake/accept-draft";
import {
  type AcceptedRow,
  type AcceptRow,
  acceptSends,
  type NumberedSend,
} from "../../src/intake/accept-sends";
import { meterAt } from "../../src/intake/acceptance";
import { type Draft, draftOf } from "../../src/intake/draft";
import type { KnownEndpoint } from "../../src/intake/known-endpoints";
import { chooseSlots } from "../../src/intake/slot";
import { type AccountId, type EndpointId, newId } from "../../src/runtime/ids";
import { type TestDatabase, testDatabase } from "../support/postgres";

const METER = meterAt(Date.now(), chooseSlots(0).sends);
const ACCOUNTS = [newId("acc"), newId("acc")];
const ENDPOINTS = ACCOUNTS.flatMap((accountId) =>
  [1, 2, 3].map((partition) => ({ id: newId("ep"), accountId, partition })),
);

/** Two databases with the same accounts and endpoints. */
let databases: [TestDatabase, TestDatabase];

beforeAll(async () => {
  databases = [await testDatabase(), await testDatabase()];
  await Promise.all(databases.map(fill));
});
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function fill({ db }: TestDatabase): Promise<void> {
  await db.run(async (sql) => {
    for (const id of ACCOUNTS) {
      await sql`insert into accounts (id, name, plan) values (${id}, 'test', 'unlimited')`;
    }
    for (const { id, accountId, partition } of ENDPOINTS) {
      await sql`insert into endpoints (id, account_id, url, signing_secret)
        values (${id}, ${accountId}, 'http://127.0.0.1:9', 'sealed')`;
      await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${partition})`;
    }
  });
}

function known(id: EndpointId): KnownEndpoint | null {
  const found = ENDPOINTS.find((each) => each.id === id);
  return found ? { ...found, filterRevision: 1, filter: ALL_EVENTS } : null;
}

function draft(sends: readonly NumberedSend[]): Draft {
  const made = draftOf(sends, known);
  if (!made) throw new Error("no draft");
  return made;
}

/** All that accepting writes. */
async function contents({ db }: TestDatabase) {
  return db.run(async (sql) => ({
    deliveries: await sql`
      select id, account_id, endpoint_id, sequence, event, ordering_key, data, replay_of from deliveries order by id`,
    transactions: await sql`select count(distinct transaction) from deliveries`,
    queue: await sql`select * from queue order by partition, endpoint_id, sequence`,
    mailboxes: await sql`select * from mailboxes order by endpoint_id`,
    counters: await sql`
      select account_id, event, sum(accepted) as accepted from (
        select account_id, event, accepted from counters union all select account_id, event, accepted from counter_deltas
      ) c group by 1, 2 order by 1, 2`,
    totals: await sql`
      select account_id, sum(accepted) as accepted from (
        select account_id, accepted from totals union all select account_id, accepted from counter_deltas
      ) t group by 1 order by 1`,
    usage: await sql`select * from usage order by account_id, period, slot`,
    results: await sql`select * from results`,
    types: await sql`select * from event_types`,
  }));
}

const anyPayload = fc.oneof(
  fc.json(),
  fc.constantFrom('""', '{"a":"\\u0001"}', '"{\\"a\\",NULL}"', "[\n\t1]", '"😀"', "null"),
);
const anySends = fc.array(
  fc.record({
    endpoint: fc.constantFrom(...ENDPOINTS),
    event: fc.constantFrom(null, "", "a.b", 'ä "quoted"\\', "NULL"),
    orderingKey: fc.constantFrom(null, null, "customer-1", 'ü "quoted", {\\}', "NULL"),
    data: anyPayload,
  }),
  { minLength: 1, maxLength: 30 },
);

test("a draft leaves behind, and answers, what the statement for any sends does", async () => {
  const [drafted, found] = databases;
  await fc.assert(
    fc.asyncProperty(anySends, async (chosen) => {
      const sends = chosen.map(({ endpoint: { id: endpointId, accountId }, event, orderingKey, data }) => {
        return { id: newId("wh"), accountId, endpointId, event, orderingKey, data, idempotency: null };
      });
      const rows = await drafted.db.run((sql) => acceptDraft(sql, draft(sends), METER));
      const options = { newEventTypes: [], meter: METER, metering: "counted" } as const;
      const expected = await found.db.run((sql) => acceptSends(sql, sends, options));
      const byId = new Map<string, AcceptRow>(expected.map((row) => [row.id, row]));
      const foundBeside = { filter: ALL_EVENTS, filterRevision: 1, isSettled: true };
      expect(rows?.map((row): AcceptRow | undefined => ({ ...row, ...foundBeside }))).toEqual(
        sends.map(({ id }) => byId.get(id)),
      );
    }),
    { numRuns: 60 },
  );
  expect(await contents(drafted)).toEqual(await contents(found));
});

test("what is not as the draft has it leaves nothing behind, of none of its sends", async () => {
  const [database] = databases;
  const { db } = database;
  const [one, two] = ENDPOINTS;
  if (!one || !two) throw new Error("two endpoints are needed");
  const attempt = () => db.run((sql) => acceptDraft(sql, draft([one, two].map(sendTo)), METER));
  const untouched = await written(database, two.id);

  const refilter = (revision: number) =>
    db.run((sql) => sql`update mailboxes set filter_revision = ${revision} where endpoint_id = ${two.id}`);
  await refilter(2);
  expect(await attempt()).toBeNull();
  await refilter(1);

  const move = (plan: string) =>
    db.run((sql) => sql`update accounts set plan = ${plan} where id = ${two.accountId}`);
  await db.run((sql) => sql`insert into plans values ('limited', null, 1000000)`);
  await move("limited");
  expect(await attempt()).toBeNull();
  await move("unlimited");
  expect(await written(database, two.id)).toEqual(untouched);

  expect(await attempt()).toHaveLength(2);
  const once = await written(database, two.id);
  expect(once).not.toEqual(untouched);
  await db.run((sql) => sql`delete from mailboxes where endpoint_id = ${two.id}`);
  expect(await attempt()).toBeNull();
  expect(await written(database, two.id)).toEqual(once);
});

test("a change that commits while the draft waits for an endpoint's lock undoes all of it", async () => {
  const [database] = databases;
  const [changing, , other] = ENDPOINTS;
  if (!changing || !other) throw new Error("two endpoints are needed");
  const before = await written(database);
  const rows = await acceptBehind(
    database,
    [changing, other],
    (sql) =>
      sql`update mailboxes set filter_revision = filter_revision + 1 where endpoint_id = ${changing.id}`,
  );
  expect(rows).toBeNull();
  expect(await written(database)).toEqual(before);
});

test("what else changes of an endpoint is told with its sends, also when it has just changed", async () => {
  const [database] = databases;
  const endpoint = ENDPOINTS[2];
  if (!endpoint) throw new Error("an endpoint is needed");
  const revise = (sql: AnySql) =>
    sql`update mailboxes set revision = revision + 1 where endpoint_id = ${endpoint.id}`;
  await database.db.run(revise);
  const rows = await acceptBehind(database, [endpoint], revise);
  expect(rows?.map(({ revision }) => revision)).toEqual([3]);
});

test("a draft that waits for another commit goes on with its numbers", async () => {
  const [database] = databases;
  const endpoint = ENDPOINTS[2];
  if (!endpoint) throw new Error("an endpoint is needed");
  let last = Number.NaN;
  const rows = await acceptBehind(database, [endpoint], async (sql) => {
    const [moved] = await sql<{ last: number }[]>`
      update mailboxes set last_sequence = last_sequence + 5 where endpoint_id = ${endpoint.id}
      returning last_sequence as last`;
    last = moved?.last ?? Number.NaN;
  });
  expect(rows?.map(({ sequence }) => sequence)).toEqual([last + 1]);
});

test("a draft takes its locks in the order of the endpoints' ids, whatever the order of its sends", async () => {
  const [database] = databases;
  const { db } = database;
  const endpoints = await db.run(
    (sql) => sql<Target[]>`
      select e.id, e.account_id as "accountId" from endpoints e join mailboxes m on m.endpoint_id = e.id
      where m.filter_revision = 1 order by e.id desc`,
  );
  const isFree = ({ id }: { id: EndpointId }) =>
    db.run(
      async (sql) =>
        (await sql`select from mailboxes where endpoint_id = ${id} for update skip locked`).length > 0,
    );
  expect(endpoints.length).toBeGreaterThan(3);
  const lastButOne = endpoints[1]?.id ?? "";
  let free: boolean[] = [];
  const rows = await acceptBehind(
    database,
    endpoints,
    (sql) => sql`select from mailboxes where endpoint_id = ${lastButOne} for update`,
    async () => {
      free = await Promise.all(endpoints.map(isFree));
    },
  );
  expect(free).toEqual(endpoints.map((_, i) => i === 0));
  expect(rows).toHaveLength(endpoints.length);
});

test.each([
  { by: "a transaction", savepoint: false },
  { by: "a part of one", savepoint: true },
])(
  "what a statement found of an endpoint is not settled while it waited for a change: of $by",
  async ({ savepoint }) => {
    const [, database] = databases;
    const endpoint = ENDPOINTS[2];
    if (!endpoint) throw new Error("an endpoint is needed");
    const accept = (sql: Sql) =>
      acceptSends(sql, [sendTo(endpoint)], { newEventTypes: [], meter: METER, metering: "counted" });
    const refilter = async (sql: AnySql) => {
      await sql`update endpoints set event_types = '{other}' where id = ${endpoint.id}`;
      await sql`update mailboxes set filter_revision = filter_revision + 1 where endpoint_id = ${endpoint.id}`;
    };
    const behind = await behindOf(
      database,
      (sql) => (savepoint ? sql.savepoint(refilter) : refilter(sql)),
      accept,
    );
    const [after] = await database.db.run(accept);
    if (behind[0]?.verdict !== "accepted" || after?.verdict !== "accepted") throw new Error("both are");
    // Torn: as of after the change, beside the filter of before.
    expect(behind[0].filterRevision).toBe(after.filterRevision);
    expect(behind[0].filter).not.toBe(after.filter);
    expect([behind[0].isSettled, after.isSettled]).toEqual([false, true]);
  },
);

test("nor is it settled what may have been written since the statement began while others are long at work", async () => {
  const [, { db }] = databases;
  const endpoint = ENDPOINTS[1];
  if (!endpoint) throw new Error("an endpoint is needed");
  const isSettled = async () => {
    const [row] = await db.run((sql) =>
      acceptSends(sql, [sendTo(endpoint)], { newEventTypes: [], meter: METER, metering: "counted" }),
    );
    return row?.verdict === "accepted" && row.isSettled;
  };
  await db.transaction(async (sql) => {
    await sql`select pg_current_xact_id()`;
    expect(await isSettled()).toBe(true);
    expect(await isSettled()).toBe(false);
  });
  expect(await isSettled()).toBe(true);
});

type Target = { id: EndpointId; accountId: AccountId };

function sendTo({ id: endpointId, accountId }: Target): NumberedSend {
  return {
    id: newId("wh"),
    accountId,
    endpointId,
    event: "a.b",
    orderingKey: null,
    data: "{}",
    idempotency: null,
  };
}

/** All that accepting writes; of mailboxes the numbers, but for one that the test itself changes. */
async function written(database: TestDatabase, without?: EndpointId) {
  const { mailboxes, ...others } = await contents(database);
  const own = mailboxes.filter((each) => each.endpoint_id !== without);
  return { ...others, numbers: own.map((each) => each.last_sequence) };
}

/** Accepts a send for each in a draft that waits for a transaction which has done `work`, and `meanwhile`. */
function acceptBehind(
  database: TestDatabase,
  targets: readonly Target[],
  work: (sql: TransactionSql) => Promise<unknown>,
  meanwhile?: () => Promise<void>,
): Promise<AcceptedRow[] | null> {
  const accept = (sql: Sql) => acceptDraft(sql, draft(targets.map(sendTo)), METER);
  return behindOf(database, work, accept, meanwhile);
}

/** What becomes of a statement that waits for a transaction which has done `work`, and `meanwhile`. */
async function behindOf<Result>(
  { db }: TestDatabase,
  work: (sql: TransactionSql) => Promise<unknown>,
  statement: (sql: Sql) => Promise<Result>,
  meanwhile?: () => Promise<void>,
): Promise<Result> {
  const { result } = await db.transaction(async (sql) => {
    await work(sql);
    const result = db.run(statement);
    while (!(await isOneBlocked(db))) await Bun.sleep(1);
    await meanwhile?.();
    // Not awaited here: it ends after this transaction.
    return { result };
  });
  return result;
}

async function isOneBlocked(db: Database): Promise<boolean> {
  const rows = await db.run(
    (sql) => sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}
