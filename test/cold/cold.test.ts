import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ColdSession } from "../../src/cold/cold-session";
import { openStore } from "../../src/cold/store";
import { Thawing } from "../../src/cold/thawing";
import { foldCounterDeltas } from "../../src/deliveries/counter-deltas";
import { Deliveries } from "../../src/deliveries/deliveries";
import type { DeliverySummary } from "../../src/deliveries/delivery";
import { ColdReads } from "../../src/deliveries/lists/cold-reads";
import { BEFORE_ALL_IDS } from "../../src/deliveries/lists/cursor";
import type { CursorQuery } from "../../src/deliveries/lists/cursor-form";
import type { NumberedPage, PageQuery } from "../../src/deliveries/lists/page-form";
import type { ResendChoice } from "../../src/deliveries/resendable";
import { Stats } from "../../src/deliveries/stats";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../src/domain/ids";
import type { Resend, RunningJob } from "../../src/jobs/job";
import { resendOverFiles } from "../../src/jobs/over-files";
import { Freezing } from "../../src/retention/freezing";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { type Accepted, idAt, Ledger } from "../deliveries/ledger";
import { atEnd } from "../support/at-end";
import { Random } from "../support/faults/random";
import { testDatabase } from "../support/postgres";
import { DAY, makePastRanges } from "./aged";

const log = createLog("silent");
const DAYS = 6;
const DELIVERIES = 40;
const QUERIES = 8;
const STATUSES = ["delivered", "delivered", "failed", "cancelled", "pending"] as const;
const EVENTS = ["order.created", "order.paid", null];
/** `HERMOD_COLD_KILLS` kills the process at more moments: 1000 is every one. */
const KILLS = Number(process.env.HERMOD_COLD_KILLS ?? 2);
const seed = Math.floor(Math.random() * 2 ** 31);

type Query = Omit<CursorQuery, "after">;

/** An installation with a folder for cold blocks, and one account. */
class Frozen {
  private constructor(
    private readonly database: Awaited<ReturnType<typeof testDatabase>>,
    readonly folder: string,
    readonly account: AccountId,
    readonly endpoints: readonly EndpointId[],
  ) {}

  static async create(): Promise<Frozen> {
    const database = await testDatabase();
    atEnd(database.drop);
    const folder = await mkdtemp(join(tmpdir(), "hermod-cold-"));
    atEnd(() => rm(folder, { recursive: true }));
    const ledger = new Ledger(database.db);
    const account = await ledger.account();
    await makePastRanges(database, DAYS);
    return new Frozen(database, folder, account, [
      await ledger.endpoint(account),
      await ledger.endpoint(account),
    ]);
  }

  get db() {
    return this.database.db;
  }
  get url() {
    return this.database.url;
  }

  retention({ retentionMs = 30 * DAY, afterMs = (2 * DAY) as number | null } = {}): Retention {
    const store = openStore(this.folder);
    const freezing = new Freezing({ db: this.db, store, log, afterMs, limits: { items: 5, bytes: 1_000 } });
    return new Retention({ db: this.db, clock: systemClock, log, retentionMs, freezing });
  }

  /** Creates deliveries of every status, at any time of the last days. */
  async fill(random: Random): Promise<Accepted[]> {
    const ledger = new Ledger(this.db);
    const made: Accepted[] = [];
    for (let i = 0; i < DELIVERIES; i++) {
      const id = idAt(Date.now() - random.between(0, DAYS * DAY));
      const data = `{"n":${i % 9}}`;
      const one = await ledger.accept(
        this.account,
        random.pick(this.endpoints),
        random.pick(EVENTS),
        id,
        data,
      );
      const status = random.pick(STATUSES);
      made.push(one);
      if (status === "pending") continue;
      const responseStatus = status === "failed" ? 500 : 200;
      await ledger.end(one, { status, responseStatus, durationMs: status === "delivered" ? 12 : null });
    }
    return made;
  }

  reader(): Deliveries {
    const session = new ColdSession(this.database.open({ size: 1 }), openStore(this.folder));
    return new Deliveries(this.db, new ColdReads(this.db, session));
  }

  /** Reads a list to its end, in pages. */
  async list(deliveries: Deliveries, query: Query): Promise<DeliverySummary[]> {
    const all: DeliverySummary[] = [];
    for (let after: CursorQuery["after"]; ; ) {
      const { data, next } = await deliveries.cursorForm(this.account, { ...query, after });
      expect(data.length).toBeLessThanOrEqual(query.limit);
      all.push(...data);
      if (next === null) return all;
      after = next;
    }
  }

  async countInPostgres(): Promise<number> {
    const [row] = await this.db.run(
      (sql) => sql<{ n: number }[]>`select count(*)::integer as n from deliveries`,
    );
    return row?.n ?? 0;
  }

  /** Compares the files with those that Postgres knows. */
  async checkFiles(): Promise<void> {
    const rows = await this.db.run(
      (sql) => sql<{ path: string }[]>`select path from cold_blocks order by path`,
    );
    const names = await readdir(this.folder, { recursive: true });
    expect(names.filter((name) => name.includes(".jsonl")).sort()).toEqual(rows.map(({ path }) => path));
  }
}

// Made while the file is loaded, so that they are undone after its last test.
const [frozen, killed] = [await Frozen.create(), await Frozen.create()];

describe(`Deliveries in files and in Postgres (seed ${seed})`, () => {
  const random = new Random(seed);
  const deliveries = frozen.reader();
  let made: Accepted[];
  /** The lists while everything was in Postgres. */
  const lists = new Map<Query, DeliverySummary[]>();
  const pages = new Map<PageQuery, NumberedPage>();
  let choice: ResendChoice;
  const scope = { withReplays: true, atOriginOnly: false, isInReach: () => true };
  const ids = () => made.map(({ id }) => id);

  beforeAll(async () => {
    made = await frozen.fill(random);
    const hot = new Deliveries(frozen.db);
    const queries = Array.from({ length: QUERIES }, () => anyQuery(random, frozen));
    for (const query of queries) lists.set(query, await frozen.list(hot, query));
    for (const query of [
      { page: 1, perPage: 100 },
      { page: 3, perPage: 7 },
      { page: 2, perPage: 4, event: "order.paid" },
    ])
      pages.set(query, await hot.pageForm(frozen.account, query));
    choice = await hot.resendable(frozen.account, ids(), scope);
    await frozen.retention().maintain();
  });

  test("have left Postgres but for pending and late ones", async () => {
    expect(await frozen.countInPostgres()).toBeLessThan(made.length);
    const [row] = await frozen.db.run(
      (sql) => sql<{ n: number }[]>`
        select count(*)::integer as n from queue q left join deliveries d on d.id = q.delivery_id where d.id is null
      `,
    );
    expect(row?.n).toBe(0);
    await frozen.checkFiles();
  });

  test("are listed by any filter, limit and time as they were in Postgres", async () => {
    for (const [query, before] of lists)
      expect({ query, data: await frozen.list(deliveries, query) }).toEqual({ query, data: before });
  });

  test("are on the pages that they were on", async () => {
    for (const [query, page] of pages)
      expect({ query, page: await deliveries.pageForm(frozen.account, query) }).toEqual({ query, page });
  });

  test("can be resent together from any number of files", async () => {
    expect(await deliveries.resendable(frozen.account, ids(), scope)).toEqual(choice);
    const sent: DeliveryId[] = [];
    // Sends the deliveries that are in Postgres, as the step of a job does.
    const step = resendOverFiles(new Thawing(openStore(frozen.folder)), async (sql, job) => {
      const there = await sql<
        { id: DeliveryId }[]
      >`select id from deliveries where account_id = ${frozen.account}`;
      expect(there.map(({ id }) => id)).toEqual(expect.arrayContaining(job.remaining));
      sent.push(...job.remaining);
      return { ...job, remaining: [], next: "completed", afterCommit: () => {} };
    });
    let steps = 0;
    for (let remaining = choice.ids; remaining.length > 0; steps++) {
      const job = resendOf(frozen.account, remaining);
      remaining = [...((await frozen.db.transaction((sql) => step(sql, job))).remaining ?? [])];
    }
    expect(sent.sort()).toEqual(choice.ids);
    expect(steps).toBeGreaterThan(1);
    await frozen.retention().maintain();
  });

  test("are not shown to another account", async () => {
    const stranger = await new Ledger(frozen.db).account();
    for (const { id } of made.slice(0, 3)) expect(await deliveries.get(stranger, id)).toBeNull();
  });

  test("may arrive after their time has been moved", async () => {
    const ledger = new Ledger(frozen.db);
    const [endpoint] = frozen.endpoints;
    if (!endpoint) throw new Error("there is no endpoint");
    const id = idAt(Date.now() - 4 * DAY);
    const late = await ledger.accept(frozen.account, endpoint, null, id);
    made.push(late);
    const query = { limit: 100, createdBefore: Date.now() - 3 * DAY };
    const ids = async () => (await frozen.list(deliveries, query)).map((each) => each.id);
    const before = await ids();
    expect(before).toContain(id);
    await ledger.end(late, { status: "delivered", durationMs: 1 });
    await frozen.retention().maintain();
    expect(await ids()).toEqual(before);
    expect((await deliveries.get(frozen.account, id))?.status).toBe("delivered");
  });

  test("are deleted after the retention, and leave the figures", async () => {
    await frozen.retention({ retentionMs: 3 * DAY, afterMs: null }).maintain();
    await frozen.db.run(foldCounterDeltas);
    const left = await frozen.list(deliveries, { limit: 100 });
    expect(left.length).toBeLessThan(made.length);
    await frozen.checkFiles();
    expect((await new Stats(frozen.db).of(frozen.account)).totalDeliveries).toBe(left.length);
  });
});

function resendOf(accountId: AccountId, remaining: DeliveryId[]): RunningJob<Resend> {
  const scope = { endpointId: null, event: null, status: null, createdFrom: null, createdBefore: Date.now() };
  const progress = {
    state: "running",
    total: null,
    examined: 0,
    done: 0,
    failure: null,
    waitedMs: 0,
  } as const;
  const times = { createdAt: Date.now(), completedAt: null, position: BEFORE_ALL_IDS };
  return {
    kind: "resend",
    id: newId("job"),
    accountId,
    atOriginOnly: false,
    remaining,
    ...scope,
    ...progress,
    ...times,
  };
}

/** Returns a query with some filters. */
function anyQuery(random: Random, { endpoints }: Frozen): Query {
  const from = Date.now() - random.between(0, DAYS * DAY);
  const filters: Omit<Query, "limit">[] = [
    { status: random.pick(STATUSES) },
    { event: random.pick(["order.created", "order.paid"]) },
    { endpointId: random.pick(endpoints) },
    { responseStatus: { from: 500, to: 599 } },
    { payload: [{ name: "n", value: String(random.below(9)) }] },
    { createdFrom: from, createdBefore: from + random.between(0, 3 * DAY) },
  ];
  const chosen = filters.filter(() => random.next() < 0.3);
  return Object.assign({ limit: random.pick([100, 7, 3]) }, ...chosen);
}

describe("A process that is killed while it moves a time range to files", () => {
  test("loses no delivery, shows none twice, and leaves no file behind", async () => {
    const random = new Random(seed);
    await killed.fill(random);
    const before = await killed.list(new Deliveries(killed.db), { limit: 100 });
    const deliveries = killed.reader();
    const moment = (turn: number) => (KILLS >= 1_000 ? turn : 1 + random.below(40));
    for (let turn = 1; ; turn++) {
      const killAt = turn > KILLS ? 0 : moment(turn);
      const program = join(import.meta.dir, "killed-freezing.ts");
      const command = [process.execPath, program, killed.url, killed.folder, `${killAt}`];
      const freezing = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
      const code = await freezing.exited;
      expect({ turn, killAt, data: await killed.list(deliveries, { limit: 100 }) }).toEqual({
        turn,
        killAt,
        data: before,
      });
      if (code === 0) break;
      expect(freezing.signalCode).toBe("SIGKILL");
    }
    expect(await killed.countInPostgres()).toBeLessThan(before.length);
    await killed.checkFiles();
  });
});
