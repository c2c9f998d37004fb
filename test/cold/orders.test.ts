import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readAll } from "../../src/cold/blocks";
import { ColdSession } from "../../src/cold/cold-session";
import { openStore } from "../../src/cold/store";
import { Thawing } from "../../src/cold/thawing";
import type { Reads } from "../../src/db/database";
import { arrayOf } from "../../src/db/sql/arrays";
import { Deliveries } from "../../src/deliveries/deliveries";
import type { DeliverySummary } from "../../src/deliveries/delivery";
import { ColdReads, MOST_BLOCKS } from "../../src/deliveries/lists/cold-reads";
import { comparePositions, type IteratorPosition } from "../../src/deliveries/lists/cursor";
import type { IteratorQuery } from "../../src/deliveries/lists/iteration";
import { EndpointLog, type LogPage, type NumberFate } from "../../src/deliveries/log/endpoint-log";
import { type DeliveryId, type EndpointId, toText } from "../../src/domain/ids";
import { stampRangesOf } from "../../src/retention/block-summary";
import { Freezing } from "../../src/retention/freezing";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { Ledger } from "../deliveries/ledger";
import { type PastNumber, writeHistory } from "../http/history";
import { atEnd } from "../support/at-end";
import { Random } from "../support/faults/random";
import { useDatabase } from "../support/postgres";
import { DAY, makePastRanges } from "./aged";

const DAYS = 6;
const ENDPOINTS = 2;
const NUMBERS = 24;
const seed = Math.floor(Math.random() * 2 ** 31);

const database = await useDatabase();
const { db } = database;
const folder = await mkdtemp(join(tmpdir(), "hermod-cold-log-"));
atEnd(() => rm(folder, { recursive: true }));
const store = openStore(folder);
const cold = new ColdReads(db, new ColdSession(database.open({ size: 1 }), store));

/** Moves what is older than two days to files of a few deliveries, and deletes what is older than `retentionMs`. */
function maintain(retentionMs = 30 * DAY): Promise<void> {
  const log = createLog("silent");
  const limits = { items: 5, bytes: 100_000 };
  const freezing = new Freezing({ db, store, log, afterMs: 2 * DAY, limits });
  return new Retention({ db, clock: systemClock, log, retentionMs, freezing }).maintain();
}

/** Numbers in about the order of their times, some of which got their number days after their id. */
function anyHistory(random: Random): PastNumber[] {
  let time = Date.now() - DAYS * DAY;
  return Array.from({ length: NUMBERS }, (_, i): PastNumber => {
    time += random.between(0, (2 * DAYS * DAY) / NUMBERS);
    const now = Math.min(time, Date.now());
    const isLate = random.next() < 0.15;
    return {
      sequence: i + 1,
      time: isLate ? now - random.between(0, 2 * DAY) : now - random.between(0, 50),
      isLate,
    };
  });
}

const random = new Random(seed);
const ledger = new Ledger(db);
const accountId = await ledger.account();
const endpoints: EndpointId[] = [];
await makePastRanges(database, DAYS + 3);
for (let i = 0; i < ENDPOINTS; i++) {
  const endpointId = await ledger.endpoint(accountId);
  endpoints.push(endpointId);
  await writeHistory(db, accountId, { id: toText("ep", endpointId) }, anyHistory(random));
}
await stampAnew();

/** What was read while everything was in Postgres. */
const walks = new Map<Omit<IteratorQuery, "from">, Walk>();
const logs = new Map<EndpointId, NumberFate[]>();
const queries: Omit<IteratorQuery, "from">[] = [
  { limit: 9 },
  {
    limit: 30,
    endpointId: endpoints[0],
    createdFrom: Date.now() - 5 * DAY,
    createdBefore: Date.now() - DAY,
  },
];
for (const query of queries) walks.set(query, await walk(new Deliveries(db), { ...query, from: "start" }));
for (const endpointId of endpoints) logs.set(endpointId, await logOf(new EndpointLog(db), endpointId));

/** Gives the deliveries stamps in about the order of their ids. Many share one, and some have a much later one. */
async function stampAnew(): Promise<void> {
  const rows = await db.run(
    (sql) => sql<{ id: DeliveryId }[]>`select id from deliveries where account_id = ${accountId} order by id`,
  );
  const stamps = rows.map((_, i) => 1 + i + random.below(5) + (random.next() < 0.2 ? random.below(300) : 0));
  await db.run(
    (sql) => sql`
      update deliveries d set transaction = n.stamp::text::xid8
      from unnest(${arrayOf(rows.map(({ id }) => id))}::uuid[], ${arrayOf(stamps)}::integer[]) n(id, stamp)
      where d.account_id = ${accountId} and d.id = n.id
    `,
  );
}

/** Brings the files with some deliveries back to Postgres. */
async function bringBack(ids: readonly DeliveryId[]): Promise<void> {
  await db.transaction((sql) => new Thawing(store).bring(sql, accountId, ids));
}

/** Brings all files back to Postgres. */
async function thawAll(): Promise<void> {
  const thawing = new Thawing(store);
  await db.transaction(async (sql) => {
    for (const block of await readAll(sql)) await thawing.restore(sql, block);
  });
}

/** Notes only one range of stamps of some blocks, as of those whose deliveries have more than a row notes. */
async function coarsen(): Promise<void> {
  await db.run(
    (sql) => sql`
      update cold_blocks set stamps = int8multirange(range_merge(stamps)) where deliveries > 0 and random() < 0.5`,
  );
}

type Walk = { data: DeliverySummary[]; positions: IteratorPosition[] };
/** Reads to the end. Each page goes on from where the one before it ended. */
async function walk(
  deliveries: Deliveries,
  query: IteratorQuery,
  between: () => Promise<void> = async () => {},
): Promise<Walk> {
  const all: Walk = { data: [], positions: [] };
  for (let { from } = query; ; await between()) {
    const { data, positions, position, more } = await deliveries.iterate(accountId, { ...query, from });
    all.data.push(...data);
    all.positions.push(...positions);
    if (!more) return all;
    if (typeof from === "object") expect(comparePositions(from, position)).toBeLessThan(0);
    from = position;
  }
}

/** Reads pages up to the end, each with a number at least. */
async function logOf(log: EndpointLog, endpointId: EndpointId, from = 1, limit = 100): Promise<NumberFate[]> {
  const all: NumberFate[] = [];
  for (let next = from; ; ) {
    const page = await log.read({ accountId, endpointId, from: next, limit, withPayloads: true });
    const { fates, completeUpTo, ...rest } = page as LogPage;
    all.push(...fates);
    if (next > completeUpTo) return all;
    expect(fates.length).toBeGreaterThan(0);
    next = rest.next;
  }
}

test("a time range that moves and comes back while a list is read is not left out", async () => {
  const list = { accountId, reader: accountId, limit: 1_000 };
  const read = async (reads: Reads) => ({
    data: [
      ...(await reads.run((sql) => sql<{ id: DeliveryId }[]>`select id from deliveries order by id desc`)),
    ],
    next: null,
  });
  const before = await cold.page(list, read);
  let isFirst = true;
  const after = await cold.page(list, async (reads) => {
    if (!isFirst) return read(reads);
    isFirst = false;
    await maintain();
    const found = await read(reads);
    await thawAll();
    return found;
  });
  expect(after).toEqual(before);
  expect(before.data).toHaveLength(ENDPOINTS * NUMBERS);
});

/** Expects more files than one answer opens. */
async function expectManyFiles(): Promise<void> {
  const [row] = await db.run(
    (sql) => sql<{ files: number }[]>`
      select count(*)::integer as files from cold_blocks where state = 'live'`,
  );
  expect(row?.files).toBeGreaterThan(MOST_BLOCKS);
}

describe(`An iterator over files (seed ${seed})`, () => {
  const both = new Deliveries(db, cold);

  async function expectSame(between?: () => Promise<void>): Promise<void> {
    for (const [query, { data, positions }] of walks) {
      expect((await walk(both, { ...query, from: "start" }, between)).data).toEqual(data);
      const at = random.below(positions.length);
      const from = positions[at];
      if (from) expect((await walk(both, { ...query, from })).data).toEqual(data.slice(at + 1));
    }
  }

  beforeAll(() => maintain());

  test("returns what it returned from Postgres, in the same order", async () => {
    await expectManyFiles();
    await expectSame();
  });

  test("skips and repeats nothing where a file does not say exactly which stamps it has", async () => {
    await coarsen();
    await expectSame();
  });

  test("skips and repeats nothing while files come back to Postgres and move again", async () => {
    const ids = [...walks.values()].flatMap(({ data }) => data.map(({ id }) => id));
    await expectSame(async () => {
      const chance = random.next();
      if (chance < 0.1) await bringBack([random.pick(ids)]);
      if (chance > 0.9) await maintain();
    });
    await maintain();
  });
});

test("the ranges of a block have all its stamps, with the widest gaps between them", () => {
  const anyStamps = fc.array(fc.bigInt({ min: 1n, max: 10_000n }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(anyStamps, fc.integer({ min: 1, max: 8 }), (stamps, most) => {
      const pairs = stampRangesOf(stamps, most).matchAll(/\[(\d+),(\d+)\]/g);
      const ranges = [...pairs].map(([, first = "", last = ""]) => [BigInt(first), BigInt(last)] as const);
      const inside = (stamp: bigint) => ranges.filter(([first, last]) => first <= stamp && stamp <= last);
      expect(stamps.every((stamp) => inside(stamp).length === 1)).toBe(true);
      expect(ranges.flat().every((end) => stamps.includes(end))).toBe(true);
      const distinct = [...new Set(stamps)].sort((a, b) => (a < b ? -1 : 1));
      expect(ranges.length).toBe(Math.min(most, distinct.length));
      const widths = distinct.slice(1).map((stamp, i) => stamp - (distinct[i] ?? 0n));
      const between = ranges.slice(1).map(([first], i) => first - (ranges[i]?.[1] ?? 0n));
      const widest = widths.sort((a, b) => (a > b ? -1 : 1)).slice(0, between.length);
      expect(between.sort((a, b) => (a > b ? -1 : 1))).toEqual(widest);
    }),
  );
});

describe(`The log of an endpoint with numbers in files (seed ${seed})`, () => {
  const both = new EndpointLog(db, cold);

  async function expectSame(): Promise<void> {
    for (const [endpointId, fates] of logs) {
      const [from, limit] = [1 + random.below(NUMBERS), 1 + random.below(NUMBERS)];
      expect(await logOf(both, endpointId, from, limit)).toEqual(fates.slice(from - 1));
    }
  }

  beforeAll(() => maintain());

  test("is the same as it was in Postgres, wherever a page begins", async () => {
    await expectManyFiles();
    await expectSame();
  });

  test("stays the same when files come back to Postgres, and move again", async () => {
    const ids = [...logs.values()].flatMap((fates) => random.pick(fates).delivery?.id ?? []);
    await bringBack(ids);
    await expectSame();
    await maintain();
    await expectSame();
  });

  test("begins with the first number that the retention has left", async () => {
    await maintain(4 * DAY);
    const lost = [];
    for (const [endpointId, fates] of logs) {
      const left = await logOf(both, endpointId);
      const kept = left.filter(({ delivery }) => delivery !== null);
      expect(left[0]?.delivery).not.toBeNull();
      expect(kept).toEqual(fates.filter(({ sequence }) => kept.some((each) => each.sequence === sequence)));
      lost.push(...fates.slice(kept.length));
    }
    expect(lost.length).toBeGreaterThan(0);
  });
});
