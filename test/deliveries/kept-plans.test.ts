import { expect, test } from "bun:test";
import type { Database } from "../../src/db/database";
import { Deliveries } from "../../src/deliveries/deliveries";
import type { DeliverySearch } from "../../src/deliveries/lists/search";
import { DELIVERY_STATUSES } from "../../src/domain/delivery-status";
import { useDatabase } from "../support/postgres";
import { Ledger } from "./ledger";

/** Lists, and the few other statements that they need. */
const KEPT = 64 + 20;

const database = await useDatabase();
const own = database.open({ size: 1 });
const ledger = new Ledger(database.db);
const account = await ledger.account();
const endpoint = await ledger.endpoint(account);
await ledger.accept(account, endpoint, "order.paid");
await ledger.end(await ledger.accept(account, endpoint, "order.paid"), { status: "failed" });

function product<T>(values: readonly T[][]): T[][] {
  return values.reduce<T[][]>((all, each) => all.flatMap((some) => each.map((one) => [...some, one])), [[]]);
}

/** All filters of lists, in all combinations. */
function searches(): DeliverySearch[] {
  const filters: DeliverySearch[][] = [
    [{}, { event: "order.paid" }],
    [{}, { endpointId: endpoint }],
    [{}, ...DELIVERY_STATUSES.map((status) => ({ status }))],
    [{}, { responseStatus: { from: 200, to: 299 } }, { responseStatus: { from: 500, to: 599 } }],
    [{}, { error: "timeout" }],
    [{}, { payload: [{ name: "a", value: "b" }] }],
  ];
  return product(filters).map((chosen) => Object.assign({}, ...chosen));
}

async function preparedOn(db: Database): Promise<number> {
  const [row] = await db.run(
    (sql) => sql<{ count: number }[]>`select count(*)::integer from pg_prepared_statements`,
  );
  return row?.count ?? 0;
}

test("however many filters are combined, a connection keeps few plans", async () => {
  const deliveries = new Deliveries(own);
  const limits = [20, 50, 100];
  const all = searches();
  for (const [i, search] of all.entries()) {
    const query = { ...search, limit: limits[i % limits.length] ?? 1 };
    await deliveries.cursorForm(account, query);
    await deliveries.iterate(account, { ...query, from: "start" });
  }
  expect(all).toHaveLength(240);
  expect(await preparedOn(own)).toBeLessThan(KEPT);
});

test("the pages of a list, and an iterator's steps with any filters, are planned once", async () => {
  const fresh = database.open({ size: 1 });
  const deliveries = new Deliveries(fresh);
  const [limit, event, createdBefore] = [1, "order.paid", Date.now() + 60_000];
  const first = await deliveries.cursorForm(account, { limit, event });
  const start = await deliveries.iterate(account, { limit, event, from: "start" });
  const planned = await preparedOn(fresh);
  await deliveries.cursorForm(account, { limit, event, after: first.next ?? undefined });
  await deliveries.cursorForm(account, { limit, event, createdBefore });
  const others = { endpointId: endpoint, status: "failed", createdFrom: 0, createdBefore } as const;
  await deliveries.iterate(account, { limit, ...others, from: start.position });
  expect(await preparedOn(fresh)).toBe(planned);
});
