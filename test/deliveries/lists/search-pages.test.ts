import { describe, expect, test } from "bun:test";
import { Deliveries } from "../../../src/deliveries/deliveries";
import type { DeliverySearch } from "../../../src/deliveries/lists/search";
import { newId } from "../../../src/domain/ids";
import { fetchedBy, pagesReadBy } from "../../support/fetched";
import { useDatabase } from "../../support/postgres";
import { Ledger } from "../ledger";

const MANY = 20_000;
/** Half of what a look-up of each failed delivery would read, which is at least two pages. */
const PAGES = MANY / 20;
const NOT_FOUND = { from: 404, to: 404 };
const UNAVAILABLE = { from: 503, to: 503 };

const database = await useDatabase();
const ledger = new Ledger(database.db);
const account = await ledger.account();
const busy = await ledger.endpoint(account);
const quiet = await ledger.endpoint(account);
await fill(ledger);

/** One delivery in twenty has failed, with a 500, after a timeout. The other endpoint has no failed one. */
async function fill(ledger: Ledger): Promise<void> {
  await database.db.run(
    (sql) => sql`
      with past as materialized (
        select (left(${newId("wh")}, 24) || lpad(to_hex(n), 8, '0') || '0001')::uuid as id, n, n % 20 = 0 as is_failed
        from generate_series(1, ${MANY}::integer) n
      ), stored as (
        insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
        select id, ${account}, case when n % 20 = 1 then ${quiet}::uuid else ${busy} end, n, 'order.paid', '{}' from past
      ), ended as (
        insert into results
          (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms)
        select id, ${account}, case when n % 20 = 1 then ${quiet}::uuid else ${busy} end,
          case when is_failed then 'failed' else 'delivered' end::delivery_status, 1,
          case when is_failed then 500 else 200 end, now(), case when not is_failed then 5 end
        from past
      ), tried as (
        insert into attempts (delivery_id, account_id, attempt, status, error, started_at, duration_ms)
        select id, ${account}::uuid, 1, 500, 'timeout', now(), 5 from past where is_failed
      )
      insert into counters (account_id, event, accepted, delivered, failed)
      select ${account}, 'order.paid', count(*), count(*) filter (where not is_failed), count(*) filter (where is_failed)
      from past`,
  );
  await database.db.run(
    (sql) => sql`insert into totals select account_id, accepted, delivered, failed from counters`,
  );
  await database.db.run(
    (sql) => sql`
      update mailboxes set last_sequence = case when endpoint_id = ${quiet} then ${MANY / 20}::bigint else ${MANY}::bigint end`,
  );
  await ledger.accept(account, busy, "order.lost");
  await database.db.run((sql) => sql`vacuum analyze`);
}

/** Nothing matches, so every candidate is examined. */
const withoutMatch: [name: string, wanted: () => DeliverySearch][] = [
  ["a response status", () => ({ responseStatus: NOT_FOUND })],
  ["a status and a response status", () => ({ status: "failed", responseStatus: NOT_FOUND })],
  ["a status and a success", () => ({ status: "failed", responseStatus: { from: 200, to: 299 } })],
  ["a success that came later", () => ({ status: "delivered", responseStatus: UNAVAILABLE })],
  ["an endpoint and a status", () => ({ endpointId: quiet, status: "failed" })],
  ["an endpoint and a response status", () => ({ endpointId: busy, responseStatus: NOT_FOUND })],
  ["an event type and a response status", () => ({ event: "order.paid", responseStatus: NOT_FOUND })],
  ["pending ones with a response status", () => ({ status: "pending", responseStatus: UNAVAILABLE })],
];

describe.each(withoutMatch)("a search for %s, without a match,", (_, wanted) => {
  const search = (deliveries: Deliveries) => deliveries.cursorForm(account, { ...wanted(), limit: 100 });

  test("examines every candidate", async () => {
    expect(await search(new Deliveries(database.db))).toEqual({ data: [], next: null });
  });

  test.each(["deliveries", "results"])("reads few pages of %s", async (table) => {
    const pages = await pagesReadBy(database, [table], (own) => search(new Deliveries(own)));
    expect(pages).toBeLessThan(PAGES);
  });
});

test("a search for an error, without a match, reads no attempt", async () => {
  const search = async (own: typeof database.db) => {
    const asked = { error: "dns", limit: 100 };
    expect(await new Deliveries(own).cursorForm(account, asked)).toEqual({ data: [], next: null });
  };
  expect(await fetchedBy(database, "attempts_earlier", search)).toBe(0);
});

test("an endpoint's pending deliveries are found by their last response, however few have ended", async () => {
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpointId = await ledger.endpoint(accountId);
  await ledger.end(await ledger.accept(accountId, endpointId, "order.paid"), { status: "delivered" });
  for (let i = 0; i < 30; i++) await ledger.accept(accountId, endpointId, "order.paid");
  await database.db.run(
    (sql) => sql`
      update queue set attempt_count = 1, response_status = 503, next_attempt_at = now() where endpoint_id = ${endpointId}`,
  );
  const asked: DeliverySearch = { endpointId, status: "pending", responseStatus: UNAVAILABLE };
  const { data } = await new Deliveries(database.db).cursorForm(accountId, { ...asked, limit: 100 });
  expect(data).toHaveLength(30);
});
