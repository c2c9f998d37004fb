import { expect, test } from "bun:test";
import { Leases } from "../../src/ownership/leases";
import { testDatabase, useDatabase } from "../support/postgres";

const database = await useDatabase();

test("a dispatcher whose lease has expired renews without waiting for another that does the same", async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const leases = new Leases(database.open({ size: 2 }), one, 5_000);
  await leases.prepare(8);
  await database.db.run(
    (sql) => sql`
      insert into dispatchers (id, expires_at)
      values (${one}, now() - interval '1 second'), (${other}, now() - interval '1 second')`,
  );
  await database.db.transaction(async (sql) => {
    await sql`update dispatchers set expires_at = now() + interval '5 seconds' where id = ${other}`;
    expect(await leases.renew(false)).toMatchObject({ share: 8 });
  });
  expect(await leases.renew(false)).toMatchObject({ share: 4 });
});

test("leases are renewed in one round trip, so that a busy process is in time", async () => {
  const own = database.open({ size: 1 });
  let statements = 0;
  const counting = Object.create(own, {
    run: {
      value: (...work: Parameters<typeof own.run>) => {
        statements++;
        return own.run(...work);
      },
    },
    transaction: {
      value: () => {
        throw new Error("a transaction takes several round trips");
      },
    },
  });
  const leases = new Leases(counting, crypto.randomUUID(), 5_000);
  await leases.prepare(8);
  statements = 0;
  await leases.renew(false);
  await leases.leave();
  expect(statements).toBe(2);
});

test("a claim takes the leases expired at its given time, by Postgres' clock, and none that expired since", async () => {
  const pool = database.open({ size: 2 });
  const [living, silent] = [0, 1].map(() => new Leases(pool, crypto.randomUUID(), 5_000));
  if (!living || !silent) throw new Error("nobody is there");
  await living.prepare(8);
  await silent.renew(false);
  expect(await silent.claim(8, null)).toHaveLength(8);
  const runOut = (at: number) =>
    database.db.run(
      (sql) => sql`update partition_leases set expires_at = to_timestamp(${at}::float8 / 1000)`,
    );
  const { at } = await living.renew(false);
  expect(Math.abs(at - Date.now())).toBeLessThan(5_000);
  await runOut(at + 1);
  expect(await living.claim(8, null)).toEqual([]);
  expect(await living.claim(8, at)).toEqual([]);
  await runOut(at - 1);
  expect(await living.claim(8, null)).toEqual([]);
  expect(await living.claim(8, at)).toHaveLength(8);
});

test("leases of a dispatcher that died before Postgres' clock was set back are free, and count in no share", async () => {
  const own = await testDatabase();
  const [living, dead] = [0, 1].map(() => new Leases(own.db, crypto.randomUUID(), 5_000));
  if (!living || !dead) throw new Error("nobody is there");
  for (const each of [living, dead]) await each.prepare(8);
  await dead.renew(false);
  expect(await dead.claim(8, null)).toHaveLength(8);
  const runOutIn = (seconds: number) =>
    own.db.run(async (sql) => {
      await sql`update partition_leases set expires_at = now() + ${seconds} * interval '1 second'`;
      await sql`update dispatchers set expires_at = now() + ${seconds} * interval '1 second'`;
    });
  await runOutIn(9);
  const { at, share } = await living.renew(false);
  expect(share).toBe(4);
  expect(await living.claim(8, at)).toEqual([]);
  // A moment from before a jump ahead: what is far beyond that has been renewed since.
  expect(await living.claim(8, at - 3_600_000)).toEqual([]);
  await runOutIn(3_600);
  expect(await living.renew(false)).toMatchObject({ share: 8 });
  expect(await living.claim(8, null)).toEqual([]);
  expect(await living.claim(8, at)).toHaveLength(8);
  await own.drop();
});

test("leases last as long as the longest of any dispatcher", async () => {
  const own = await testDatabase();
  const [short, long] = [1_000, 60_000].map((ttlMs) => new Leases(own.db, crypto.randomUUID(), ttlMs));
  if (!short || !long) throw new Error("nobody is there");
  for (const each of [long, short]) await each.prepare(4);
  await long.renew(false);
  expect(await long.claim(4, null)).toHaveLength(4);
  const { at, share } = await short.renew(false);
  expect(share).toBe(2);
  expect(await short.claim(2, at)).toEqual([]);
  await own.drop();
});

test("each claim begins a term of its own, and releases no other", async () => {
  const own = await testDatabase();
  const leases = new Leases(own.db, crypto.randomUUID(), 5_000);
  await leases.prepare(1);
  const terms: number[] = [];
  for (let i = 0; i < 3; i++) {
    const [lease] = await leases.claim(1, null);
    if (!lease) throw new Error("nothing to claim");
    terms.push(lease.term);
    await leases.release([{ ...lease, term: lease.term - 1 }]);
    expect(await leases.claim(1, null)).toEqual([]);
    await leases.release([lease]);
  }
  expect(terms).toEqual([1, 2, 3]);
  await own.drop();
});

test("the shares of all live dispatchers cover all partitions", async () => {
  const own = await testDatabase();
  const all = Array.from({ length: 3 }, () => new Leases(own.db, crypto.randomUUID(), 5_000));
  for (const leases of all) await leases.prepare(8);
  for (const leases of all) await leases.renew(false);
  const shares = await Promise.all(all.map(async (leases) => (await leases.renew(false)).share));
  expect(shares.toSorted()).toEqual([2, 3, 3]);
  await own.drop();
});
