import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../src/db/database";
import type { TransactionSql } from "../../src/db/pool";
import { eventIdFrom } from "../../src/db/sql/event-key";
import { cancelDelivery } from "../../src/deliveries/cancellation";
import { Deliveries } from "../../src/deliveries/deliveries";
import { erasePayloads } from "../../src/deliveries/erasure";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "../../src/deliveries/lists/cursor";
import { findResendable } from "../../src/deliveries/resendable";
import { Backlog } from "../../src/dispatch/backlog/backlog";
import type { ReadRequest } from "../../src/dispatch/lane/page";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, newId } from "../../src/domain/ids";
import { longestWait } from "../../src/domain/retry-policy";
import { readEndpointStats } from "../../src/endpoints/stats";
import { Events } from "../../src/events/events";
import { acceptReplays } from "../../src/intake/replays/accept-replays";
import { findTakenEvents, findTakenSends } from "../../src/intake/taken-keys";
import { chooseShards, usageKeyAt } from "../../src/intake/usage";
import { rangeOf, selectRange } from "../../src/jobs/range";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { realSteps } from "../jobs/stage";
import { pagesReadBy } from "../support/fetched";
import { FIRST_PAGE } from "../support/first-page";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { type Accepted, insertDelivery, Ledger } from "./ledger";

const MANY = 30_000;
/** A look-up reads three or four pages, and all that an account has, 645 of an index. Where there are many partitions a list goes over those. */
const PAGES = 400;
const TABLES = ["deliveries", "results", "events"];
const CLAIM = { key: "key", fingerprint: new Uint8Array(8) };
const RARE = "order.lost";
const SUCCESSES = { from: 200, to: 299 };
const room = { isFull: false };

/** An account with a few deliveries of each kind. */
type Stage = {
  database: TestDatabase;
  account: AccountId;
  ordered: EndpointId;
  unordered: EndpointId;
  byKey: EndpointId;
  delivery: Accepted;
  /** Creates a delivery to `ordered`. */
  event: EventId;
};

/** It is within a transaction already. */
const inTransaction = <T>(own: Database, work: (sql: TransactionSql) => Promise<T>) =>
  own.run((sql) => work(sql as unknown as TransactionSql));

const claimed = (account: AccountId) => [{ accountId: account, idempotency: CLAIM }];
const openSecret = (sealed: string) => sealed;
const page = { page: 1, perPage: 20 };

/** A scan, and a look-up of two keys. */
function pending(db: Database, endpointId: EndpointId, more: Partial<ReadRequest> = {}) {
  const backlog = new Backlog({ db, openSecret, memory: room, longestWaitMs: longestWait([]) });
  const orders = [
    { order: "", from: 0 },
    { order: "customer-1", from: 0 },
  ];
  return backlog.read({ partition: 0, endpointId }, { ...FIRST_PAGE, orders, ...more });
}

function replay({ account, ordered }: Stage, sql: TransactionSql) {
  const scope = { accountId: account, endpointId: ordered, event: null, status: null, createdFrom: null };
  const counts = { total: null, examined: 0, done: 0, waitedMs: 0 };
  const times = { createdBefore: Date.now() + 60_000, createdAt: Date.now(), completedAt: null };
  const state = { id: newId("job"), state: "running", failure: null, position: BEFORE_ALL_IDS } as const;
  return realSteps.replay(sql, { kind: "replay", ...scope, ...counts, ...times, ...state });
}

/** The steps of a job that read everything: a search for missing events passes few events here. */
function missing({ account, unordered }: Stage, sql: TransactionSql) {
  const scope = { accountId: account, endpointId: unordered, event: RARE, status: null, createdFrom: null };
  const counts = { total: null, examined: 0, done: 0, waitedMs: 0 };
  const times = { createdBefore: Date.now() + 60_000, createdAt: Date.now(), completedAt: null };
  const state = { id: newId("job"), state: "running", failure: null, position: BEFORE_ALL_IDS } as const;
  return realSteps.missing_replay(sql, { kind: "missing_replay", ...scope, ...counts, ...times, ...state });
}

type Scope = { endpointId: EndpointId | null; event: string | null };

async function inRange({ account }: Stage, own: Database, asked: Scope) {
  const scope = { accountId: account, ...asked, createdBefore: Date.now() + 60_000 };
  return own.run(async (sql) => {
    const range = await rangeOf(sql, { ...scope, position: BEFORE_ALL_IDS });
    return sql`${selectRange(sql, range, sql`i.id`, 5)}`;
  });
}

const works: Record<string, (stage: Stage, own: Database) => Promise<unknown>> = {
  "its details": ({ account, delivery }, own) => new Deliveries(own).get(account, delivery.id),
  "a page": ({ account }, own) => new Deliveries(own).pageForm(account, page),
  "a page of an event type and a status": ({ account }, own) =>
    new Deliveries(own).pageForm(account, { ...page, event: "order.paid", status: "pending" }),
  "a page of a rare event type and a status": ({ account }, own) =>
    new Deliveries(own).pageForm(account, { ...page, event: RARE, status: "delivered" }),
  "a page by cursor": ({ account }, own) => new Deliveries(own).cursorForm(account, { limit: 20 }),
  "a page of an event type": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, event: RARE }),
  "a page of an endpoint": ({ account, ordered }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, event: "order.paid" }),
  "a later page of an endpoint": ({ account, ordered }, own) => {
    const after = { before: AFTER_ALL_IDS };
    return new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, event: RARE, after });
  },
  "a page of an endpoint and a time": ({ account, ordered }, own) => {
    const time = { createdFrom: 0, createdBefore: Date.now() + 60_000 };
    return new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, event: RARE, ...time });
  },
  "a page of what failed": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, error: "timeout" }),
  "a page of a status and a response status": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, status: "delivered", responseStatus: SUCCESSES }),
  "a page of an endpoint's response status": ({ account, ordered }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, responseStatus: SUCCESSES }),
  "a page of what failed with a response status": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, responseStatus: { from: 500, to: 599 } }),
  "a page of all accounts": ({ account }, own) => new Deliveries(own).ofAllAccounts(account, { limit: 20 }),
  "a page of all accounts' status": ({ account }, own) =>
    new Deliveries(own).ofAllAccounts(account, { limit: 20, status: "pending" }),
  "a page of all accounts' event type": ({ account }, own) =>
    new Deliveries(own).ofAllAccounts(account, { limit: 20, event: RARE }),
  "a page of what failed in all accounts": ({ account }, own) =>
    new Deliveries(own).ofAllAccounts(account, { limit: 20, error: "timeout" }),
  "a page of all accounts' events": ({ account }, own) =>
    new Events(own).ofAllAccounts(account, { limit: 20 }),
  "a page of all accounts' events of a type": ({ account }, own) =>
    new Events(own).ofAllAccounts(account, { limit: 20, event: RARE }),
  "what is pending in order": ({ ordered }, own) => pending(own, ordered),
  "what is pending by key": ({ byKey }, own) => pending(own, byKey),
  "what is pending by key of a crowded endpoint": ({ byKey }, own) =>
    pending(own, byKey, { isCrowded: true }),
  "what is pending without order": ({ unordered }, own) => pending(own, unordered),
  "what may be sent again": ({ account, delivery }, own) =>
    inTransaction(own, (sql) => findResendable(sql, account, delivery.id)),
  "a resend": ({ account, delivery }, own) =>
    inTransaction(own, (sql) =>
      acceptReplays(
        sql,
        account,
        [{ id: newId("wh"), source: delivery.id }],
        usageKeyAt(Date.now(), chooseShards(0).replays),
        false,
      ),
    ),
  "a cancellation": ({ account, delivery }, own) =>
    inTransaction(own, (sql) => cancelDelivery(sql, account, delivery.id)),
  "an erasure": ({ account, delivery }, own) =>
    inTransaction(own, (sql) => erasePayloads(sql, account, [delivery.id])),
  "what a key of a send was answered with": ({ account }, own) =>
    own.run((sql) => findTakenSends(sql, claimed(account))),
  "what a key of an event was answered with": ({ account }, own) =>
    own.run((sql) => findTakenEvents(sql, claimed(account))),
  "an endpoint's figures": ({ account, ordered }, own) =>
    own.run((sql) => readEndpointStats(sql, account, { partition: 0, endpointId: ordered }, Date.now())),
  "a step of a replay": (stage, own) => inTransaction(own, (sql) => replay(stage, sql)),
  "an event": ({ account, event }, own) => new Events(own).get(account, event),
  "a page of events": ({ account }, own) => new Events(own).page(account, { limit: 20 }),
  "a page of events of a type": ({ account }, own) =>
    new Events(own).page(account, { limit: 20, event: RARE }),
  "an event by the sender's id": ({ account }, own) =>
    new Events(own).page(account, { limit: 20, externalId: "own" }),
  "an event's deliveries": ({ account, event }, own) =>
    new Events(own).deliveriesOf(account, event, { limit: 20 }),
  "who did not get an event": ({ account, event }, own) =>
    new Events(own).missedBy(account, event, { limit: 20 }),
  "an erasure of an event": ({ account, event }, own) =>
    inTransaction(own, (sql) => erasePayloads(sql, account, [event])),
  "a step of a replay of missing events": (stage, own) => inTransaction(own, (sql) => missing(stage, sql)),
  "a job's range": (stage, own) => inRange(stage, own, { endpointId: null, event: null }),
  "a job's range of an event type": (stage, own) => inRange(stage, own, { endpointId: null, event: RARE }),
  "a job's range of an endpoint": (stage, own) =>
    inRange(stage, own, { endpointId: stage.ordered, event: null }),
};

/** The reads that look through an account's deliveries, which must be few. */
const searches: typeof works = {
  "a page of a response status": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, responseStatus: SUCCESSES }),
  "a search in payloads": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, payload: [{ name: "a", value: "b" }] }),
  "a search in payloads and response statuses": ({ account }, own) =>
    new Deliveries(own).cursorForm(account, {
      limit: 20,
      payload: [{ name: "a", value: "b" }],
      responseStatus: SUCCESSES,
    }),
  "a step of an iterator": ({ account }, own) =>
    new Deliveries(own).iterate(account, { from: "start", limit: 20 }),
  "a step of an iterator that searches": ({ account }, own) =>
    new Deliveries(own).iterate(account, { from: "start", limit: 20, responseStatus: SUCCESSES }),
};

describe("among all accounts' deliveries, these are found by their keys:", () => {
  let stage: Stage;
  beforeAll(async () => {
    const database = await testDatabase();
    await withoutAutovacuum(database);
    // Sorted before ours, so that the key's first column can't be skipped either.
    await fill(database, { each: () => "overlay(gen_random_uuid()::text placing '00' from 1)::uuid" });
    stage = await setUp(database);
    await database.db.run((sql) => sql`analyze deliveries, results, events`);
  });
  afterAll(() => stage.database.drop());

  test.each(Object.entries({ ...works, ...searches }))("%s", async (_, work) => {
    const { database } = stage;
    expect(await pagesReadBy(database, TABLES, (own) => work(stage, own))).toBeLessThan(PAGES);
  });
});

describe("for a large account among small ones, this reads no more:", () => {
  let stage: Stage;
  beforeAll(async () => {
    const database = await divided();
    await fill(database, { each: () => "gen_random_uuid()" });
    // So that the event types of the stage are ones that no statistics know of.
    stage = await setUp(database, async (account) => {
      await fill(database, { each: () => `'${account}'::uuid` });
      await database.db.run((sql) => sql`vacuum analyze`);
    });
  });
  afterAll(() => stage.database.drop());

  test.each(Object.entries(works))("%s", async (_, work) => {
    const { database } = stage;
    const read = (own: Database) => work(stage, own);
    expect(await pagesReadBy(database, ["deliveries", "events"], read)).toBeLessThan(PAGES);
  });
});

describe("with plans made while there was little, this reads no more:", () => {
  let stage: Stage;
  const planned = new Map<string, Database>();
  beforeAll(async () => {
    const database = await divided();
    stage = await setUp(database, async (account) => {
      await fill(database, { each: () => `'${account}'::uuid`, count: 200 });
      await database.db.run((sql) => sql`vacuum analyze`);
    });
    for (const [name, work] of Object.entries(works)) {
      const own = database.open({ size: 1 });
      await own.run((sql) => sql`begin`);
      await work(stage, own);
      await own.run((sql) => sql`rollback`);
      planned.set(name, own);
    }
    await fill(database, { each: () => `'${stage.account}'::uuid` });
  });
  afterAll(() => stage.database.drop());

  test.each(Object.entries(works))("%s", async (name, work) => {
    const { database } = stage;
    const read = (own: Database) => work(stage, own);
    const pages = await pagesReadBy(database, ["deliveries", "events"], read, planned.get(name));
    expect(pages).toBeLessThan(PAGES);
  });
});

/** Makes a time range for each day, as an installation has. */
async function divided(): Promise<TestDatabase> {
  const database = await testDatabase();
  const retentionMs = 30 * 86_400_000;
  await new Retention({
    db: database.db,
    clock: systemClock,
    log: createLog("silent"),
    retentionMs,
  }).extend();
  await withoutAutovacuum(database);
  return database;
}

/**
 * Leaves the statistics to the tests. Postgres' own ANALYZE may run while `fill` inserts and see its table almost empty. The
 * plans that follow sort everything there.
 */
async function withoutAutovacuum({ db }: TestDatabase): Promise<void> {
  await db.run(
    (sql) => sql`
      do $$
      declare part regclass;
      begin
        for part in select relid from unnest(array['deliveries', 'results', 'events']::regclass[]) t, pg_partition_tree(t)
          where isleaf
        loop
          execute format('alter table %s set (autovacuum_enabled = off)', part);
        end loop;
      end $$`,
  );
}

/** Inserts events without deliveries, and delivered ones of unknown endpoints. */
async function fill(
  { db }: TestDatabase,
  { each, count = MANY }: { each(): string; count?: number },
): Promise<void> {
  await db.run(
    (sql) => sql`
      insert into events (id, account_id, event, data, delivery_count)
      select (left(${newId("wh")}, 24) || lpad(to_hex(n), 8, '0') || '0000')::uuid, ${sql.unsafe(each())}, 'order.shipped', '{}', 0
      from generate_series(1, ${count}::integer) n`,
  );
  await db.run(
    (sql) => sql`
      with filled as (
        insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
        select (left(${newId("wh")}, 24) || lpad(to_hex(n), 12, '0'))::uuid, ${sql.unsafe(each())},
          overlay(gen_random_uuid()::text placing '00' from 1)::uuid, 1, 'order.shipped', '{}'
        from generate_series(1, ${count}::integer) n
        returning *
      )
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
      select id, account_id, endpoint_id, 'delivered', 1, now() from filled`,
  );
}

async function setUp(
  database: TestDatabase,
  beforehand: (account: AccountId) => Promise<void> = async () => {},
): Promise<Stage> {
  const ledger = new Ledger(database.db);
  const account = await ledger.account();
  await beforehand(account);
  const ordered = await ledger.endpoint(account);
  const unordered = await ledger.endpoint(account);
  const byKey = await ledger.endpoint(account);
  for (const [id, ordering] of [
    [unordered, "unordered"],
    [byKey, "by_key"],
  ] as const) {
    await database.db.run((sql) => sql`update endpoints set ordering = ${ordering} where id = ${id}`);
  }
  // Above the ledger's own numbers, for deliveries that are sent again.
  await database.db.run((sql) => sql`update mailboxes set last_sequence = 1000000`);
  const delivery = await ledger.accept(account, ordered, "order.paid");
  for (const each of [unordered, byKey]) await ledger.accept(account, each, "order.paid");
  for (const event of ["order.paid", RARE]) {
    await ledger.end(await ledger.accept(account, ordered, event), { status: "delivered" });
  }
  await database.db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint, delivery_id)
      values (${account}, ${CLAIM.key}, ${CLAIM.fingerprint}, ${delivery.id})`,
  );
  const event = eventIdFrom(newId("wh"));
  const ofEvent = {
    id: `${event.slice(0, 32)}0001` as DeliveryId,
    accountId: account,
    endpointId: ordered,
    event: RARE,
  };
  await database.db.transaction((sql) => insertDelivery(sql, ofEvent));
  await database.db.run(
    (sql) => sql`
      insert into events (id, account_id, event, external_id, data, delivery_count)
      values (${event}, ${account}, ${RARE}, 'own', '{}', 1)`,
  );
  await database.db.run((sql) => sql`update deliveries set data = null where id = ${ofEvent.id}`);
  return { database, account, ordered, unordered, byKey, delivery, event };
}
