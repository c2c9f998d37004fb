import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Database } from "../../src/db/database";
import type { AnySql, Sql, TransactionSql } from "../../src/db/pool";
import { arrayOf } from "../../src/db/sql/arrays";
import { ALL_EVENTS } from "../../src/domain/event-filter";
import { type AccountId, type EndpointId, newId } from "../../src/domain/ids";
import { accept as acceptPlan } from "../../src/intake/accept";
import { type CommitPlan, planCommit } from "../../src/intake/commit-plan";
import type { JustAccepted, NewDelivery } from "../../src/intake/new-delivery";
import { addressOf } from "../../src/intake/sends/endpoint-cache";
import { chooseShards, ensureUsageRows, type UsedEventType, usageKeyAt } from "../../src/intake/usage";
import { filterOf } from "../support/filter";
import { type TestDatabase, useDatabase } from "../support/postgres";

const USAGE_KEY = usageKeyAt(Date.now(), chooseShards(0).sends);
const ACCOUNTS = [newId("acc"), newId("acc")];
const ENDPOINTS = ACCOUNTS.flatMap((accountId) =>
  [1, 2, 3].map((partition) => ({
    id: newId("ep"),
    accountId,
    partition,
    filter: partition === 3 ? filterOf("a.*") : ALL_EVENTS,
  })),
);

/** Two databases with the same accounts and endpoints. */
const databases = [await useDatabase(), await useDatabase()] as const;
await Promise.all(databases.map(fill));

async function fill({ db }: TestDatabase): Promise<void> {
  await db.run(async (sql) => {
    for (const id of ACCOUNTS) {
      await sql`insert into accounts (id, name, plan) values (${id}, 'test', 'unlimited')`;
    }
    for (const { id, accountId, partition, filter } of ENDPOINTS) {
      await sql`insert into endpoints (id, account_id, url, signing_secret, event_types)
        values (${id}, ${accountId}, 'http://127.0.0.1:9', 'sealed', ${arrayOf(filter)}::text[])`;
      await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${partition})`;
    }
  });
}

function plan(sends: readonly NewDelivery[]): CommitPlan {
  const addressed = sends.flatMap((send) => {
    const found = ENDPOINTS.find(({ id }) => id === send.endpointId);
    const address = addressOf(send, found && { ...found, filterRevision: 1, isFeed: false });
    return address.kind === "refused" ? [] : [[send, address] as const];
  });
  return planCommit(new Map(addressed));
}

function accept(sql: AnySql, sends: readonly NewDelivery[], newEventTypes: readonly UsedEventType[] = []) {
  return acceptPlan(sql, plan(sends), { usageKey: USAGE_KEY, newEventTypes });
}

/** Every row that accepting writes. */
async function contents({ db }: TestDatabase) {
  return db.run(async (sql) => ({
    deliveries: await sql`
      select id, account_id, endpoint_id, sequence, event, ordering_key, data, replay_of from deliveries order by id`,
    queue: await sql`select * from queue order by partition, endpoint_id, sequence`,
    mailboxes: await sql`select * from mailboxes order by endpoint_id`,
    counters: await sql`
      select account_id, event, sum(accepted) as accepted, sum(cancelled) as cancelled
      from counter_deltas group by 1, 2 order by 1, 2`,
    keys: await sql`
      select account_id, key, fingerprint, delivery_id, status, response from idempotency_keys order by 1, 2`,
    usage: await sql`select * from usage order by account_id, period, shard`,
    results: await sql`
      select delivery_id, account_id, endpoint_id, status, end_reason from results order by delivery_id`,
    types: await sql`select account_id, name from event_types order by 1, 2`,
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
    isKeyed: fc.boolean(),
    isNewType: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);

test("many sends store, and answer, the same as each of them alone", async () => {
  const [together, alone] = databases;
  let key = 0;
  await fc.assert(
    fc.asyncProperty(anySends, async (chosen) => {
      const sends = chosen.map(({ endpoint, event, orderingKey, data, isKeyed }): NewDelivery => {
        const { id: endpointId, accountId } = endpoint;
        const fingerprint = new Uint8Array(32).fill(key % 256);
        const idempotency = isKeyed ? { key: `key ${key++}`, fingerprint } : null;
        return { id: newId("wh"), accountId, endpointId, event, orderingKey, data, idempotency };
      });
      const types = (some: readonly NewDelivery[]) =>
        some.flatMap(({ accountId, event: name }, i) =>
          name !== null && chosen[i]?.isNewType ? [{ accountId, name }] : [],
        );
      const rows = await together.db.run((sql) => accept(sql, sends, types(sends)));
      const each = sends.map((send, i) => ({ send, types: types(sends).length > 0 && chosen[i]?.isNewType }));
      const expected: (JustAccepted | undefined)[] = [];
      for (const { send, types: isNew } of each) {
        const name = send.event;
        const newTypes = isNew && name !== null ? [{ accountId: send.accountId, name }] : [];
        const one = await alone.db.run((sql) => accept(sql, [send], newTypes));
        expected.push(one?.[0]);
      }
      expect(rows).toEqual(expected as JustAccepted[]);
    }),
    { numRuns: 40 },
  );
  expect(await contents(together)).toEqual(await contents(alone));
});

test("a plan with a wrong assumption stores nothing, for none of its sends", async () => {
  const [database] = databases;
  const { db } = database;
  const [one, two] = ENDPOINTS;
  if (!one || !two) throw new Error("two endpoints are needed");
  const key = { key: "granted", fingerprint: new Uint8Array(32) };
  const attempt = (idempotency: NewDelivery["idempotency"] = null) =>
    db.run((sql) => accept(sql, [sendTo(one), { ...sendTo(two), idempotency }]));
  const untouched = await written(database, two.id);

  const refilter = (revision: number) =>
    db.run((sql) => sql`update mailboxes set filter_revision = ${revision} where endpoint_id = ${two.id}`);
  await refilter(2);
  expect(await attempt()).toBeNull();
  await refilter(1);

  await db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint)
      values (${two.accountId}, ${key.key}, ${key.fingerprint})`,
  );
  expect(await attempt(key)).toBeNull();
  await db.run((sql) => sql`delete from idempotency_keys where key = ${key.key}`);
  expect(await written(database, two.id)).toEqual(untouched);

  expect(await attempt(key)).toHaveLength(2);
  const once = await written(database, two.id);
  expect(once).not.toEqual(untouched);
  await db.run((sql) => sql`delete from mailboxes where endpoint_id = ${two.id}`);
  expect(await attempt()).toBeNull();
  expect(await written(database, two.id)).toEqual(once);
  await db.run(
    (sql) => sql`
      insert into mailboxes (endpoint_id, partition, last_sequence) values (${two.id}, ${two.partition}, 1000)`,
  );
});

test("a month's limit holds for all sends of an account together, whichever row counted them", async () => {
  const [database] = databases;
  const { db } = database;
  const [endpoint] = ENDPOINTS;
  if (!endpoint) throw new Error("an endpoint is needed");
  const { accountId } = endpoint;
  const used = async () => {
    const [row] = await db.run(
      (sql) =>
        sql<{ used: number }[]>`select sum(used)::bigint as used from usage where account_id = ${accountId}`,
    );
    return row?.used ?? 0;
  };
  const limit = (await used()) + 3;
  await db.run(async (sql) => {
    await sql`insert into plans values ('limited', null, ${limit})`;
    await sql`update accounts set plan = 'limited' where id = ${accountId}`;
  });
  const attempt = (count: number) =>
    db.run((sql) =>
      accept(
        sql,
        Array.from({ length: count }, () => sendTo(endpoint)),
      ),
    );
  // No row holds the limit.
  expect(await attempt(1)).toBeNull();
  await db.run((sql) => ensureUsageRows(sql, [accountId], USAGE_KEY));
  expect(await attempt(4)).toBeNull();
  expect(await attempt(2)).toHaveLength(2);
  expect(await attempt(2)).toBeNull();
  expect(await attempt(1)).toHaveLength(1);
  expect(await attempt(1)).toBeNull();
  expect(await used()).toBe(limit);
  await db.run((sql) => sql`update accounts set plan = 'unlimited' where id = ${accountId}`);
});

test("a change that commits while a plan waits for an endpoint's lock undoes the whole plan", async () => {
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

test("other changes of an endpoint are announced with its sends, even if it has just changed", async () => {
  const [database] = databases;
  const endpoint = ENDPOINTS[2];
  if (!endpoint) throw new Error("an endpoint is needed");
  const revise = (sql: AnySql) =>
    sql`update mailboxes set revision = revision + 1 where endpoint_id = ${endpoint.id}`;
  await database.db.run(revise);
  const rows = await acceptBehind(database, [endpoint], revise);
  expect(rows?.map(({ revision }) => revision)).toEqual([3]);
});

test("a plan that waits for another commit continues with its sequences", async () => {
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

test("a plan locks in the order of the endpoints' ids, whatever the order of its sends", async () => {
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

type Target = { id: EndpointId; accountId: AccountId };

function sendTo({ id: endpointId, accountId }: Target): NewDelivery {
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

/** Every row that accepting writes; of mailboxes the sequences, except of one that the test changes itself. */
async function written(database: TestDatabase, without?: EndpointId) {
  const { mailboxes, ...others } = await contents(database);
  const own = mailboxes.filter((each) => each.endpoint_id !== without);
  return { ...others, numbers: own.map((each) => each.last_sequence) };
}

/** Accepts a send for each in a plan that waits for a transaction with `work`, and runs `meanwhile`. */
function acceptBehind(
  database: TestDatabase,
  targets: readonly Target[],
  work: (sql: TransactionSql) => Promise<unknown>,
  meanwhile?: () => Promise<void>,
): Promise<JustAccepted[] | null> {
  return behindOf(database, work, (sql) => accept(sql, targets.map(sendTo)), meanwhile);
}

/** Returns the result of a statement that waits for a transaction with `work`, and runs `meanwhile`. */
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
