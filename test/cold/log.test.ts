import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ColdSession } from "../../src/cold/cold-session";
import { openStore } from "../../src/cold/store";
import { Thawing } from "../../src/cold/thawing";
import { ColdReads } from "../../src/deliveries/lists/cold-reads";
import { EndpointLog, type LogPage, type NumberFate } from "../../src/deliveries/log/endpoint-log";
import { type AccountId, type EndpointId, toText } from "../../src/domain/ids";
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
const ENDPOINTS = 3;
const NUMBERS = 40;
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
  const limits = { items: 7, bytes: 100_000 };
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

describe(`The log of an endpoint with numbers in files (seed ${seed})`, () => {
  const random = new Random(seed);
  const ledger = new Ledger(db);
  const [hot, both] = [new EndpointLog(db), new EndpointLog(db, cold)];
  let accountId: AccountId;
  const endpoints: EndpointId[] = [];
  /** The logs while everything was in Postgres. */
  const before = new Map<EndpointId, NumberFate[]>();

  /** Reads pages up to the end, each with a number at least. */
  async function walk(
    log: EndpointLog,
    endpointId: EndpointId,
    from = 1,
    limit = 100,
  ): Promise<NumberFate[]> {
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

  async function expectSame(): Promise<void> {
    for (const [endpointId, fates] of before) {
      const [from, limit] = [1 + random.below(NUMBERS), 1 + random.below(NUMBERS)];
      expect(await walk(both, endpointId, from, limit)).toEqual(fates.slice(from - 1));
    }
  }

  beforeAll(async () => {
    await makePastRanges(database, DAYS + 3);
    accountId = await ledger.account();
    for (let i = 0; i < ENDPOINTS; i++) {
      const endpointId = await ledger.endpoint(accountId);
      endpoints.push(endpointId);
      await writeHistory(db, accountId, { id: toText("ep", endpointId) }, anyHistory(random));
      before.set(endpointId, await walk(hot, endpointId));
    }
    await maintain();
  });

  test("is the same as it was in Postgres, wherever a page begins", async () => {
    const [row] = await db.run(
      (sql) => sql<{ files: number }[]>`
      select count(*)::integer as files from cold_blocks where state = 'live'`,
    );
    expect(row?.files).toBeGreaterThan(4);
    for (let i = 0; i < 4; i++) await expectSame();
  });

  test("stays the same when files come back to Postgres, and move again", async () => {
    const ids = [...before.values()].flatMap((fates) => random.pick(fates).delivery?.id ?? []);
    await db.transaction((sql) => new Thawing(store).bring(sql, accountId, ids));
    await expectSame();
    await maintain();
    await expectSame();
  });

  test("begins with the first number that the retention has left", async () => {
    await maintain(4 * DAY);
    const lost = [];
    for (const [endpointId, fates] of before) {
      const left = await walk(both, endpointId);
      const kept = left.filter(({ delivery }) => delivery !== null);
      expect(left[0]?.delivery).not.toBeNull();
      expect(kept).toEqual(fates.filter(({ sequence }) => kept.some((each) => each.sequence === sequence)));
      lost.push(...fates.slice(kept.length));
    }
    expect(lost.length).toBeGreaterThan(0);
  });
});
