import { sleep, systemClock, within } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Semaphore } from "../runtime/semaphore";
import { type DatabaseAddress, parseDatabaseUrl } from "./address";
import { KeptPlans } from "./kept-plans";
import {
  createPool,
  isConnectionLost,
  isOfStatementAlone,
  isReadOnly,
  isUnavailable,
  type PoolOptions,
  type Query,
  type Sql,
  type TransactionSql,
} from "./pool";

/** Postgres was out of reach or too slow. What was asked may or may not have been done. */
export class DatabaseUnavailable extends Error {
  constructor(readonly reason: string) {
    super(`Postgres is out of reach: ${reason}`);
    this.name = "DatabaseUnavailable";
  }
}

/** How much of Postgres a database may take at once. */
export type Capacity = {
  /** Connections for statements; there are a quarter as many more, one at least, for transactions, opened when needed. */
  size: number;
  /**
   * How many statements may be on their way on a connection: the second is with Postgres already when the first one ends,
   * and begins then. Default 1. With 2 no parameter may fail to serialize (the driver blames the statement before), and no
   * migration may change the type of a column that the statements return while processes run (it mixes up the answers).
   */
  depth?: 1 | 2;
};

export type DatabaseOptions = Omit<PoolOptions, "address" | keyof Capacity> &
  Capacity & {
    /** See `parseDatabaseUrl`. */
    url: string;
    /** A query is given up after this many milliseconds, whatever the driver does. */
    queryTimeoutMs: number;
    log: Log;
    meter?: DatabaseMeter | null;
  };

/** Is told how long each piece of work took, the wait for a connection included, and of each that Postgres was away for. */
export type DatabaseMeter = { took(ms: number): void; missed(): void };

/** A pool, and the way in for as many works at a time as its connections take. */
type Entrance = { sql: Sql; semaphore: Semaphore };

/**
 * Statements and transactions never share a connection: when one breaks at the wrong moment postgres.js runs a `begin`
 * for nobody (UNSAFE_TRANSACTION), and what others wrote on that connection would be answered but never committed (tried).
 */
type Generation = Record<Kind, Entrance>;
type Kind = "statements" | "transactions";

/** A piece of work that asks to be let in. */
type Visit = {
  /** Rejects when no connection was free in time. */
  readonly entered: Promise<Generation>;
  /** When it was let in, monotonic milliseconds; null before. */
  since: number | null;
};

/** For one connection in so many there is one more for transactions. */
const PER_TRANSACTION = 4;

/** Variants of lists that stay prepared: more than are asked for often. */
const KEPT_VARIANTS = 64;

/** The least time between two pools, milliseconds: a server that refuses is not stormed. */
const REPLACE_INTERVAL_MS = 100;
/** The same where only writes are refused: reads go on, and a connection to whoever takes writes now must be made anew. */
const READ_ONLY_INTERVAL_MS = 1_000;
/** How long `close` waits for what still runs, milliseconds. */
const CLOSE_MS = 5_000;
/** Losses closer together than this belong to one outage, milliseconds. */
const LASTING_MS = 10_000;

/**
 * A pool that survives. postgres.js loses slots on Bun when backends die under it (measured: after ten
 * rounds of terminated backends a third of the speed is left, after thirty some queries never settle), so a
 * pool that lost a connection is replaced whole, and every query has a deadline of our own.
 */
export class Database {
  /** Told whenever the pool was replaced: the server may be another one since, and lack the last commits of the former. */
  onReplaced: () => void = () => {};
  private readonly losses: (() => void)[] = [];
  private readonly address: DatabaseAddress;
  private readonly plans = new KeptPlans(KEPT_VARIANTS);
  private current: Generation;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private replacing: Timer | null = null;
  private closed = false;

  constructor(private readonly options: DatabaseOptions) {
    this.address = parseDatabaseUrl(options.url);
    this.current = this.open();
  }

  /** Tells of every loss as it is noticed, and once more when the pool is replaced: what is known of the server may be wrong. */
  onLost(listener: () => void): void {
    this.losses.push(listener);
  }

  /** Runs one piece of work on the pool. Throws `DatabaseUnavailable`, or the statement's own error. */
  run<T>(work: (sql: Sql) => Promise<T>, timeoutMs = this.options.queryTimeoutMs): Promise<T> {
    return this.guard("statements", ({ statements }) => work(statements.sql), timeoutMs);
  }

  /** Runs a statement of a kind that has ever so many variants: not every one may stay prepared. */
  runVariant<Row extends object>(work: (sql: Sql) => Query<Row>): Promise<Row[]> {
    return this.run((sql) => this.plans.of(work(sql)));
  }

  /** Everything in `work` commits together or not at all. */
  transaction<T>(
    work: (sql: TransactionSql) => Promise<T>,
    timeoutMs = this.options.queryTimeoutMs,
  ): Promise<T> {
    const begin = ({ transactions }: Generation) =>
      transactions.sql.begin((sql) => unlessLost(work(sql))) as Promise<T>;
    return this.guard("transactions", begin, timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.replacing) clearTimeout(this.replacing);
    await endGeneration(this.current, CLOSE_MS);
  }

  private open(): Generation {
    const entrance = (size: number, depth: number): Entrance => ({
      semaphore: new Semaphore(size * depth),
      sql: createPool({ ...this.options, address: this.address, size, depth }, () => this.lost(generation)),
    });
    const { size, depth = 1 } = this.options;
    const generation: Generation = {
      statements: entrance(size, depth),
      transactions: entrance(Math.ceil(size / PER_TRANSACTION), 1),
    };
    return generation;
  }

  private async guard<T>(
    kind: Kind,
    work: (generation: Generation) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const { meter } = this.options;
    const began = meter ? systemClock.monotonic() : 0;
    const overdue = new AbortController();
    const visit: Visit = { entered: this.enter(kind, overdue.signal), since: null };
    let timer: Timer | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        overdue.abort();
        const reason = visit.since === null ? "no connection was free" : "no answer";
        reject(new DatabaseUnavailable(`${reason} in ${timeoutMs} ms`));
      }, timeoutMs);
    });
    const answered = visit.entered.then((generation) => {
      visit.since = systemClock.monotonic();
      return runIn(generation, kind, work);
    });
    try {
      return await Promise.race([answered, deadline]);
    } catch (error) {
      throw this.judge(error, visit, answered, timeoutMs);
    } finally {
      clearTimeout(timer);
      meter?.took(systemClock.monotonic() - began);
    }
  }

  // A connection that is busy may be given a second query by postgres.js. If that is the `begin` of a transaction, the
  // connection is not reserved for it, and two transactions are mixed (tried). So no more transactions than connections
  // are let in, and of statements no more than are meant to share one.
  private async enter(kind: Kind, overdue: AbortSignal): Promise<Generation> {
    for (;;) {
      const generation = this.current;
      const { semaphore } = generation[kind];
      if (!(await semaphore.acquire(overdue))) throw new DatabaseUnavailable("no connection is free");
      if (generation === this.current) return generation;
      // The pool was replaced in the meantime.
      semaphore.release();
    }
  }

  private judge(error: unknown, visit: Visit, answered: Promise<unknown>, timeoutMs: number): unknown {
    const isOurs = error instanceof DatabaseUnavailable;
    if (!isOurs && !isUnavailable(error)) return error;
    this.options.meter?.missed();
    if (isOurs) {
      const mostMs = Math.max(timeoutMs, this.options.queryTimeoutMs);
      this.watch(visit, answered, mostMs).catch(() => {});
      return error;
    }
    const interval = isReadOnly(error) ? READ_ONLY_INTERVAL_MS : REPLACE_INTERVAL_MS;
    if (!isOfStatementAlone(error)) visit.entered.then((generation) => this.lost(generation, interval));
    return new DatabaseUnavailable(describeError(error).error);
  }

  /**
   * A connection is lost that is silent for so long. A wait for one tells nothing of it, however many wait, nor does a
   * caller in a hurry.
   */
  private async watch(visit: Visit, answered: Promise<unknown>, mostMs: number): Promise<void> {
    const generation = await visit.entered;
    const now = systemClock.monotonic();
    const restMs = (visit.since ?? now) + mostMs - now;
    const settled = answered.catch(() => {});
    if (!(await within(systemClock, restMs, settled))) this.lost(generation);
  }

  private lost(generation: Generation, interval = REPLACE_INTERVAL_MS): void {
    if (this.closed || this.replacing || generation !== this.current) return;
    for (const tell of this.losses) tell();
    const wait = Math.max(0, this.replacedAt + interval - systemClock.monotonic());
    this.replacing = setTimeout(() => this.replace(), wait);
  }

  private replace(): void {
    this.replacing = null;
    if (this.closed) return;
    const old = this.current;
    this.current = this.open();
    const now = systemClock.monotonic();
    // While Postgres is away this happens over and over, and is worth a line once.
    const level = now - this.replacedAt < LASTING_MS ? "debug" : "warn";
    this.replacedAt = now;
    this.options.log[level]("a Postgres connection was lost: the pool is replaced");
    for (const tell of this.losses) tell();
    this.onReplaced();
    // What still runs on healthy connections of the old pool may finish; of two on one, one after the other.
    const { depth = 1, statementTimeoutMs, queryTimeoutMs } = this.options;
    endGeneration(old, depth * Math.max(statementTimeoutMs, queryTimeoutMs)).catch(() => {});
  }
}

async function runIn<T>(
  generation: Generation,
  kind: Kind,
  work: (generation: Generation) => Promise<T>,
): Promise<T> {
  try {
    return await work(generation);
  } finally {
    generation[kind].semaphore.release();
  }
}

// When its connection breaks postgres.js ends a transaction by itself. Told of it here as well, it would send a rollback
// to the socket that is gone, and take the next `begin` on that connection for a part of it (tried).
async function unlessLost<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    return new Promise(() => {});
  }
}

/** What still runs may finish, for so many milliseconds. */
async function endGeneration({ statements, transactions }: Generation, withinMs: number): Promise<void> {
  await Promise.all([endEntrance(statements, withinMs), endEntrance(transactions, withinMs)]);
}

// Not before it is empty: what waits in a pool that is ending is done on a connection that nobody ends any more (tried).
async function endEntrance({ sql, semaphore }: Entrance, withinMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([semaphore.drained(), sleep(systemClock, withinMs, over.signal)]);
  over.abort();
  await sql.end({ timeout: 0 });
}
