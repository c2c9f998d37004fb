import { describe, expect, test } from "bun:test";
import { arrayOf } from "../../../src/db/sql/arrays";
import { Deliveries } from "../../../src/deliveries/deliveries";
import type { IteratorPosition } from "../../../src/deliveries/lists/cursor";
import type { IteratorQuery } from "../../../src/deliveries/lists/iteration";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../../src/domain/ids";
import { useDatabase } from "../../support/postgres";
import { idAt, insertDelivery, Ledger } from "../ledger";

const database = await useDatabase();
// Beside the transactions that are kept open.
const ledger = new Ledger(database.open({ size: 4 }));
const deliveries = new Deliveries(database.db);
let era = 0;

/** Every other account has had several servers. */
async function newSender(): Promise<{ account: AccountId; endpoint: EndpointId }> {
  const account = await ledger.account();
  era = (era + 3) % 6;
  await database.db.run((sql) => sql`update accounts set era = ${era} where id = ${account}`);
  return { account, endpoint: await ledger.endpoint(account) };
}

type Walked = { ids: DeliveryId[]; position: IteratorPosition };

/** Continues with each returned token until no more is waiting, as a client does. */
async function walk(account: AccountId, query: IteratorQuery): Promise<Walked> {
  const ids: DeliveryId[] = [];
  for (let from = query.from; ; ) {
    const step = await deliveries.iterate(account, { ...query, from });
    ids.push(...step.data.map((each) => each.id));
    if (!step.more) return { ids, position: step.position };
    from = step.position;
  }
}

/** Opens a transaction that has accepted a delivery and commits on request. */
async function openSend(account: AccountId, endpoint: EndpointId, id = newId("wh")) {
  const inserted = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const done = database.db.transaction(async (sql) => {
    await insertDelivery(sql, { id, accountId: account, endpointId: endpoint, event: id });
    inserted.resolve();
    await mayCommit.promise;
  });
  await Promise.race([inserted.promise, done]);
  return {
    id,
    commit: () => {
      mayCommit.resolve();
      return done;
    },
  };
}

/** Creates pending deliveries without an event, in one statement. */
async function acceptMany(account: AccountId, endpoint: EndpointId, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId("wh"));
  await database.db.run(
    (sql) => sql`
      insert into deliveries (id, account_id, endpoint_id, sequence, data)
      select id, ${account}, ${endpoint}, n, '{}' from unnest(${arrayOf(ids)}::uuid[]) with ordinality as i(id, n)`,
  );
}

describe("an iterator", () => {
  test("goes from the oldest to the newest, in steps of any size", async () => {
    const { account, endpoint } = await newSender();
    const ids: DeliveryId[] = [];
    for (let i = 0; i < 10; i++) ids.push((await ledger.accept(account, endpoint, null)).id);
    for (const limit of [1, 3, 5, 10, 11]) {
      expect((await walk(account, { from: "start", limit })).ids).toEqual(ids);
    }
  });

  test("says whether more is waiting", async () => {
    const { account, endpoint } = await newSender();
    for (let i = 0; i < 4; i++) await ledger.accept(account, endpoint, null);
    const first = await deliveries.iterate(account, { from: "start", limit: 2 });
    const second = await deliveries.iterate(account, { from: first.position, limit: 2 });
    const third = await deliveries.iterate(account, { from: second.position, limit: 2 });
    expect([first, second, third].map((step) => step.more)).toEqual([true, false, false]);
    expect(third).toEqual({ data: [], positions: [], position: second.position, more: false });
  });

  test("continues after each of its deliveries", async () => {
    const { account, endpoint } = await newSender();
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push((await ledger.accept(account, endpoint, null)).id);
    for (const narrowing of [{}, { endpointId: endpoint }]) {
      const { positions } = await deliveries.iterate(account, { ...narrowing, from: "start", limit: 3 });
      const rests = positions.map((from) => walk(account, { ...narrowing, from, limit: 2 }));
      const found = (await Promise.all(rests)).map((rest) => rest.ids);
      expect(found).toEqual([ids.slice(1), ids.slice(2), ids.slice(3)]);
    }
  });

  test("that has caught up continues with later deliveries", async () => {
    const { account, endpoint } = await newSender();
    const start = await walk(account, { from: "start", limit: 2 });
    expect(start.ids).toEqual([]);
    const first = await ledger.accept(account, endpoint, null);
    const next = await walk(account, { from: start.position, limit: 2 });
    const second = await ledger.accept(account, endpoint, null);
    const last = await walk(account, { from: next.position, limit: 2 });
    expect([next.ids, last.ids]).toEqual([[first.id], [second.id]]);
  });

  test("sees only its own account", async () => {
    const [one, other] = [await newSender(), await newSender()];
    await ledger.accept(one.account, one.endpoint, null);
    expect((await walk(other.account, { from: "start", limit: 5 })).ids).toEqual([]);
  });

  test("follows the order of commits, not of identifiers, which a clock may have set back", async () => {
    const { account, endpoint } = await newSender();
    const now = Date.now();
    const early = await ledger.accept(account, endpoint, null, idAt(now));
    const { position } = await walk(account, { from: "start", limit: 5 });
    const late = await ledger.accept(account, endpoint, null, idAt(now - 60_000));
    expect((await walk(account, { from: position, limit: 5 })).ids).toEqual([late.id]);
    expect((await walk(account, { from: "start", limit: 5 })).ids).toEqual([early.id, late.id]);
  });
});

describe("filters of an iterator", () => {
  test("leave out other deliveries, and the iterator still advances", async () => {
    const { account, endpoint } = await newSender();
    const other = await ledger.endpoint(account);
    const wanted = await ledger.accept(account, endpoint, "order.paid");
    const paid = await ledger.accept(account, other, "order.paid");
    await ledger.end(paid, { status: "failed" });
    await ledger.accept(account, other, null);
    const from = "start";
    expect((await walk(account, { from, limit: 1, event: "order.paid" })).ids).toEqual([wanted.id, paid.id]);
    expect((await walk(account, { from, limit: 1, endpointId: endpoint })).ids).toEqual([wanted.id]);
    expect((await walk(account, { from, limit: 1, status: "failed" })).ids).toEqual([paid.id]);
    const none = await walk(account, { from, limit: 1, event: "never.sent" });
    expect(none.ids).toEqual([]);
    expect((await walk(account, { from: none.position, limit: 1 })).ids).toEqual([]);
  });

  test("find the first match behind thousands of others", async () => {
    const { account, endpoint } = await newSender();
    const other = await ledger.endpoint(account);
    await acceptMany(account, other, 2_500);
    const wanted = await ledger.accept(account, endpoint, "order.paid");
    for (const filters of [{ endpointId: endpoint }, { event: "order.paid" }]) {
      const step = await deliveries.iterate(account, { from: "start", limit: 1, ...filters });
      expect(step.data.map((each) => each.id)).toEqual([wanted.id]);
    }
  });

  test("bound the creation time", async () => {
    const { account, endpoint } = await newSender();
    const start = Date.UTC(2026, 0, 1);
    const ids: DeliveryId[] = [];
    for (let i = 0; i < 4; i++) ids.push((await ledger.accept(account, endpoint, null, idAt(start + i))).id);
    const range = { createdFrom: start + 1, createdBefore: start + 3 };
    expect((await walk(account, { from: "start", limit: 10, ...range })).ids).toEqual(ids.slice(1, 3));
  });
});

describe("while transactions are under way", () => {
  test("no delivery that commits out of order is skipped", async () => {
    const { account, endpoint } = await newSender();
    const second = await newSender();
    const slow = await openSend(account, endpoint);
    const fast = await openSend(account, await ledger.endpoint(account));
    await fast.commit();
    const before = await walk(account, { from: "start", limit: 10 });
    await slow.commit();
    const after = await walk(account, { from: before.position, limit: 10 });
    expect([...before.ids, ...after.ids].sort()).toEqual([slow.id, fast.id].sort());
    expect((await walk(second.account, { from: "start", limit: 10 })).ids).toEqual([]);
  });

  test("`now` begins after the committed deliveries and before all others", async () => {
    const { account, endpoint } = await newSender();
    const slow = await openSend(account, endpoint);
    // A delivery that has committed, younger than a transaction that is still open.
    await ledger.accept(account, await ledger.endpoint(account), null);
    const now = await walk(account, { from: "now", limit: 10 });
    expect(now.ids).toEqual([]);
    const later = await ledger.accept(account, await ledger.endpoint(account), null);
    const waiting = await walk(account, { from: now.position, limit: 10 });
    await slow.commit();
    const after = await walk(account, { from: waiting.position, limit: 10 });
    expect([...waiting.ids, ...after.ids]).toEqual([slow.id, later.id]);
    expect(after.position.seen).toBeNull();
  });

  test.each(["one after the other", "together"])(
    "`now` skips no later commit: sends that end %s",
    async (how) => {
      const { account, endpoint } = await newSender();
      const accept = async () => ledger.accept(account, await ledger.endpoint(account), null);
      const first = await openSend(account, endpoint);
      await accept();
      const second = await openSend(account, await ledger.endpoint(account));
      await accept();
      const now = await walk(account, { from: "now", limit: 1 });
      await first.commit();
      if (how === "together") await second.commit();
      const one = await walk(account, { from: now.position, limit: 1 });
      if (how !== "together") await second.commit();
      const other = await walk(account, { from: one.position, limit: 1 });
      expect([...now.ids, ...one.ids, ...other.ids]).toEqual([first.id, second.id]);
    },
  );

  test("many writers that commit in any order lose and repeat nothing", async () => {
    const { account } = await newSender();
    const endpoints = await Promise.all(Array.from({ length: 5 }, () => ledger.endpoint(account)));
    const committed: DeliveryId[] = [];
    const found: DeliveryId[] = [];
    let position: IteratorPosition | "start" = "start";
    let writing = true;
    const writers = endpoints.map(async (endpoint) => {
      for (let i = 0; i < 20; i++) {
        const send = await openSend(account, endpoint);
        await Bun.sleep(Math.random() * 10);
        await send.commit();
        committed.push(send.id);
      }
    });
    const reading = (async () => {
      while (writing) {
        const walked: Walked = await walk(account, { from: position, limit: 3 });
        found.push(...walked.ids);
        position = walked.position;
        await Bun.sleep(1);
      }
    })();
    await Promise.all(writers);
    writing = false;
    await reading;
    found.push(...(await walk(account, { from: position, limit: 3 })).ids);
    expect(found.toSorted()).toEqual(committed.toSorted());
    expect(new Set(found).size).toBe(100);
  });
});
