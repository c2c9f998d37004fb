import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "../../src/db/database";
import type { TransactionSql } from "../../src/db/pool";
import { cancelDelivery } from "../../src/deliveries/cancellation";
import { BEFORE_ALL_IDS } from "../../src/deliveries/cursor";
import { erasePayloads } from "../../src/deliveries/erasure";
import { Deliveries } from "../../src/deliveries/history";
import { findResendable } from "../../src/deliveries/resendable";
import { Backlog } from "../../src/dispatch/backlog";
import { UnorderedBacklog } from "../../src/dispatch/unordered-backlog";
import { readEndpointStats } from "../../src/endpoints/stats";
import { acceptReplays } from "../../src/intake/accept-replays";
import { meterAt } from "../../src/intake/acceptance";
import { chooseSlots } from "../../src/intake/slot";
import { findTakenEvents, findTakenSends } from "../../src/intake/taken-keys";
import { rangeOf, selectRange } from "../../src/jobs/range";
import { type AccountId, type EndpointId, newId } from "../../src/runtime/ids";
import { realSteps } from "../jobs/stage";
import { pagesReadBy } from "../support/fetched";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { type Accepted, Ledger } from "./ledger";

const OTHERS = 30_000;
const PARTITIONS = { deliveries: "deliveries_earlier", results: "results_earlier" };
const CLAIM = { key: "key", fingerprint: new Uint8Array(8) };
const RARE = "order.lost";
const SUCCESSES = { from: 200, to: 299 };
const room = { isFull: false };

let database: TestDatabase;
let account: AccountId;
let ordered: EndpointId;
let unordered: EndpointId;
let delivery: Accepted;

beforeAll(async () => {
  database = await testDatabase();
  // Each another account's, so that the key's first column can't be passed over either; and all of them before ours.
  await database.db.run(
    (sql) => sql`
      insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
      select (left(${newId("wh")}, 24) || lpad(to_hex(n), 12, '0'))::uuid,
        overlay(gen_random_uuid()::text placing '00' from 1)::uuid, gen_random_uuid(), 1, 'order.paid', '{}'
      from generate_series(1, ${OTHERS}::integer) n`,
  );
  await database.db.run(
    (sql) => sql`
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
      select id, account_id, overlay(endpoint_id::text placing '00' from 1)::uuid, 'delivered', 1, now() from deliveries`,
  );
  const ledger = new Ledger(database.db);
  account = await ledger.account();
  ordered = await ledger.endpoint(account);
  unordered = await ledger.endpoint(account);
  await database.db.run((sql) => sql`update endpoints set ordering = 'unordered' where id = ${unordered}`);
  delivery = await ledger.accept(account, ordered, "order.paid");
  await ledger.accept(account, unordered, "order.paid");
  for (const event of ["order.paid", RARE]) {
    await ledger.end(await ledger.accept(account, ordered, event), { status: "delivered" });
  }
  await database.db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint, delivery_id)
      values (${account}, ${CLAIM.key}, ${CLAIM.fingerprint}, ${delivery.id})`,
  );
  await database.db.run((sql) => sql`analyze deliveries, results`);
});
afterAll(() => database.drop());

/** It is within a transaction already. */
const inTransaction = <T>(own: Database, work: (sql: TransactionSql) => Promise<T>) =>
  own.run((sql) => work(sql as unknown as TransactionSql));

const claimed = () => [{ accountId: account, idempotency: CLAIM }];
const open = (sealed: string) => sealed;

function replay(sql: TransactionSql) {
  const scope = { accountId: account, endpointId: ordered, event: null, status: null, createdFrom: null };
  const counts = { total: null, lookedAt: 0, done: 0, waitedMs: 0 };
  const times = { createdBefore: Date.now() + 60_000, createdAt: Date.now(), completedAt: null };
  const state = { id: newId("job"), state: "running", failure: null, position: BEFORE_ALL_IDS } as const;
  return realSteps.replay(sql, { kind: "replay", ...scope, ...counts, ...times, ...state });
}

async function inRange(own: Database, endpointId: EndpointId | null) {
  const scope = { accountId: account, endpointId, event: null, createdBefore: Date.now() + 60_000 };
  return own.run(async (sql) => {
    const range = await rangeOf(sql, { ...scope, position: BEFORE_ALL_IDS });
    return sql`${selectRange(sql, range, sql`i.id`, 500)}`;
  });
}

const works: Record<string, (own: Database) => Promise<unknown>> = {
  "its details": (own) => new Deliveries(own).get(account, delivery.id),
  "a page": (own) => new Deliveries(own).pageForm(account, { page: 1, perPage: 20 }),
  "a page of an event type and a status": (own) =>
    new Deliveries(own).pageForm(account, { page: 1, perPage: 20, event: "order.paid", status: "pending" }),
  "a page of a rare event type and a status": (own) =>
    new Deliveries(own).pageForm(account, { page: 1, perPage: 20, event: RARE, status: "delivered" }),
  "a page by cursor": (own) => new Deliveries(own).cursorForm(account, { limit: 20 }),
  "a page of an endpoint": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, event: "order.paid" }),
  "a page of what failed": (own) => new Deliveries(own).cursorForm(account, { limit: 20, error: "timeout" }),
  "a page of a status and a response status": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, status: "delivered", responseStatus: SUCCESSES }),
  "a page of an endpoint's response status": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, endpointId: ordered, responseStatus: SUCCESSES }),
  "a page of a response status": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, responseStatus: SUCCESSES }),
  "a page of what failed with a response status": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, responseStatus: { from: 500, to: 599 } }),
  "a search in payloads": (own) =>
    new Deliveries(own).cursorForm(account, { limit: 20, payload: [{ name: "a", value: "b" }] }),
  "a search in payloads and response statuses": (own) =>
    new Deliveries(own).cursorForm(account, {
      limit: 20,
      payload: [{ name: "a", value: "b" }],
      responseStatus: SUCCESSES,
    }),
  "a step of an iterator": (own) => new Deliveries(own).iterate(account, { from: "start", limit: 20 }),
  "a step of an iterator that searches": (own) =>
    new Deliveries(own).iterate(account, { from: "start", limit: 20, responseStatus: SUCCESSES }),
  "what is pending in order": (own) => new Backlog(own, open, room).read(0, ordered, 0),
  "what is pending without order": (own) => new UnorderedBacklog(own, open, room).read(0, unordered, 0, []),
  "what may be sent again": (own) => inTransaction(own, (sql) => findResendable(sql, account, delivery.id)),
  "a resend": (own) =>
    inTransaction(own, (sql) =>
      acceptReplays(sql, account, [delivery.id], meterAt(Date.now(), chooseSlots(0).replays)),
    ),
  "a cancellation": (own) => inTransaction(own, (sql) => cancelDelivery(sql, account, delivery.id)),
  "an erasure": (own) => inTransaction(own, (sql) => erasePayloads(sql, account, [delivery.id])),
  "what a key of a send stands for": (own) => own.run((sql) => findTakenSends(sql, claimed())),
  "what a key of an event stands for": (own) => own.run((sql) => findTakenEvents(sql, claimed())),
  "an endpoint's figures": (own) =>
    own.run((sql) => readEndpointStats(sql, account, { partition: 0, endpointId: ordered }, Date.now())),
  "a step of a replay": (own) => inTransaction(own, replay),
  "a job's range": (own) => inRange(own, null),
  "a job's range of an endpoint": (own) => inRange(own, ordered),
};

describe.each(Object.entries(PARTITIONS))("%s", (_, partition) => {
  test.each(Object.entries(works))("%s: found by whose it is, among everybody's", async (_, work) => {
    const [key] = await database.db.run(
      (sql) => sql<{ pages: number }[]>`select pg_relation_size(${`${partition}_pkey`}) / 8192 as pages`,
    );
    // A look-up reads three or four pages, and one by the id alone all of the key's.
    expect(key?.pages).toBeGreaterThan(150);
    expect(await pagesReadBy(database, partition, work)).toBeLessThan(80);
  });
});
