import { sleep, systemClock, within } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Semaphore } from "../runtime/queues/semaphore";
import { type DatabaseAddress, parseDatabaseUrl, withoutParameters } from "./address";
import { KeptPlans } from "./kept-plans";
import {
  createPool,
  type PendingQuery,
  type PoolOptions,
  type Sql,
  settleSessions,
  type TransactionSql,
} from "./pool";
import { failureOf, isConnectionLost, isRetryable, type PostgresFailure } from "./postgres-failure";
import { ALL_TAKEN, type SettingsTaken } from "./settings-taken";
import { unwrapped } from "./typed";

/** The text in front of Postgres' own reason, for operators. */
const WORDS: Partial<Record<PostgresFailure, string>> = {
  read_only: "Postgres takes no writes",
  disk_full: "Postgres has no disk left",
  no_memory: "Postgres has no memory left",
  too_late: "Postgres took too long",
};

/** Postgres was unreachable or too slow, or took no writes. The statement may or may not have run. */
export class DatabaseUnavailable extends Error {
  /** `cause`: the error of Postgres or its driver; absent if there was none, as after a deadline. */
  constructor(reason: string, cause?: unknown) {
    super(`${WORDS[failureOf(cause) ?? "unreachable"] ?? "Postgres is unreachable"}: ${reason}`, { cause });
    this.name = "DatabaseUnavailable";
  }
}

/** True if the same work may succeed later: no request that it fails is answered 500, and no work is given up. */
export function isTemporary(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || failureOf(error) !== null;
}

/** Limits the statements and connections of a database. */
export type Capacity = {
  /** Connections for statements. Transactions get a quarter of that in addition, at least one, opened when needed. */
  size: number;
  /**
   * Statements in flight per connection; 1 by default. With 2, Postgres already has the second statement when the first one
   * ends. Two rules then hold. Every parameter must serialize, or the driver fails the statement before. No migration may
   * change the type of a returned column while processes run, or results are mixed up.
   */
  depth?: 1 | 2;
};

export type DatabaseOptions = Omit<PoolOptions, "address" | keyof Capacity> &
  Capacity & {
    /** See `parseDatabaseUrl`. */
    url: string;
    /** The result of `migrateDatabase`. By default all settings are sent at the start of a session. */
    settings?: SettingsTaken;
    /** Deadline of a query in milliseconds, whatever the driver does. */
    queryTimeoutMs: number;
    log: Log;
    meter?: DatabaseMeter | null;
    writability?: Readonly<{ failed(error: unknown): void }> | null;
  };

/**
 * Receives the duration of each piece of work, including the wait for a connection, and each failure because Postgres was
 * unreachable.
 */
export type DatabaseMeter = { took(ms: number): void; missed(): void };

/**
 * A pool, and the semaphore that admits as much work as its connections take. `settled` resolves once the connections have
 * their settings; it is null if they have them from the start.
 */
type BoundedPool = { sql: Sql; semaphore: Semaphore; settled: Promise<void> | null };

/**
 * Keeps statements and transactions on separate connections. If a connection breaks at a certain moment, postgres.js runs a
 * `begin` that belongs to no transaction (UNSAFE_TRANSACTION). Other work on that connection would be answered but never
 * committed (observed).
 */
type Generation = Record<WorkKind, BoundedPool>;
type WorkKind = "statements" | "transactions";

/** A piece of work that waits for a connection. */
type PendingWork = {
  /** Resolves with the pools once a connection is free. Rejects if none was free in time. */
  readonly admitted: Promise<Generation>;
  /** The time at which the work got a connection, in monotonic milliseconds; null before. */
  since: number | null;
};

/** Number of statement connections for each transaction connection. */
export const PER_TRANSACTION = 4;

/** Most variants of list statements that stay prepared, more than are used often. */
export const KEPT_VARIANTS = 64;

/** Shortest time between two replacements of the pool, to spare a server that refuses connections. */
const REPLACE_INTERVAL_MS = 100;
/** The failures after which the pool is replaced, and the shortest time between two replacements. */
const REPLACE_AFTER_MS: Partial<Record<PostgresFailure, number>> = {
  broken: REPLACE_INTERVAL_MS,
  unreachable: REPLACE_INTERVAL_MS,
  // Longer, since reads continue. Writes need connections to the new primary.
  read_only: 1_000,
};
/** `close` waits for running work for at most this long. */
const CLOSE_MS = 5_000;
/** Losses within this time of each other belong to one outage. */
const LASTING_MS = 10_000;

/** What runs single statements: a database, or a session of one. */
export type Reads = Pick<Database, "run" | "runVariant">;

/**
 * Replaces its whole pool when a connection is lost, and gives every query a deadline. postgres.js on Bun loses slots when
 * backends die. After ten rounds of terminated backends it has a third of its speed; after thirty, some queries never settle
 * (measured).
 */
export class Database {
  /** Called after the pool was replaced. The server may be a new primary without the last commits of the former one. */
  onReplaced: () => void = () => {};
  private readonly losses: (() => void)[] = [];
  private readonly address: DatabaseAddress;
  private readonly plans = new KeptPlans(KEPT_VARIANTS);
  private current: Generation;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private replacing: Timer | null = null;
  private closed = false;

  constructor(private readonly options: DatabaseOptions) {
    const { url, settings = ALL_TAKEN } = options;
    this.address = withoutParameters(parseDatabaseUrl(url), settings.unknown);
    this.current = this.open();
  }

  /** Calls `listener` at every loss and at every replacement of the pool, since cached rows may then be wrong. */
  onLost(listener: () => void): void {
    this.losses.push(listener);
  }

  /** Runs work on the pool. Throws `DatabaseUnavailable`, or the statement's own error. */
  run<T>(work: (sql: Sql) => Promise<T>, timeoutMs = this.options.queryTimeoutMs): Promise<T> {
    return this.guard("statements", ({ statements }) => work(statements.sql), timeoutMs);
  }

  /** Runs a statement that has too many variants to keep all of them prepared. */
  runVariant<Row extends object>(work: (sql: Sql) => PendingQuery<Row>): Promise<Row[]> {
    return this.run((sql) => this.plans.of(work(sql)));
  }

  /** Commits everything in `work` together, or nothing. */
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
    const settingsFollow = this.options.settings?.follow ?? false;
    const boundedPool = (size: number, depth: number): BoundedPool => {
      const options = { ...this.options, address: this.address, size, depth, settingsFollow };
      const sql = createPool(options, () => this.lost(generation));
      const settled = settingsFollow ? settleSessions(sql, options) : null;
      // Its first work gets the error.
      settled?.catch(() => {});
      return { semaphore: new Semaphore(size * depth), sql, settled };
    };
    const { size, depth = 1 } = this.options;
    const generation: Generation = {
      statements: boundedPool(size, depth),
      transactions: boundedPool(Math.ceil(size / PER_TRANSACTION), 1),
    };
    return generation;
  }

  private async guard<T>(
    kind: WorkKind,
    work: (generation: Generation) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const { meter } = this.options;
    const began = meter ? systemClock.monotonic() : 0;
    const overdue = new AbortController();
    const pending: PendingWork = { admitted: this.admit(kind, overdue.signal), since: null };
    let timer: Timer | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        overdue.abort();
        const reason = pending.since === null ? "no connection was free" : "no answer";
        reject(new DatabaseUnavailable(`${reason} in ${timeoutMs} ms`));
      }, timeoutMs);
    });
    const answered = pending.admitted.then((generation) => {
      pending.since = systemClock.monotonic();
      return runIn(generation, kind, work);
    });
    try {
      return await Promise.race([answered, deadline]);
    } catch (error) {
      throw this.judge(unwrapped(error), pending, answered, timeoutMs);
    } finally {
      clearTimeout(timer);
      meter?.took(systemClock.monotonic() - began);
    }
  }

  // Admits one transaction per connection, and only as many statements as may share one. postgres.js may send a second query on
  // a busy connection. If that is the `begin` of a transaction, the connection is not reserved, and two transactions are mixed
  // (observed).
  private async admit(kind: WorkKind, overdue: AbortSignal): Promise<Generation> {
    for (;;) {
      const generation = this.current;
      const { semaphore } = generation[kind];
      if (!(await semaphore.acquire(overdue))) throw new DatabaseUnavailable("no connection is free");
      if (generation === this.current) return generation;
      // The pool was replaced meanwhile.
      semaphore.release();
    }
  }

  private judge(
    error: unknown,
    pending: PendingWork,
    answered: Promise<unknown>,
    timeoutMs: number,
  ): unknown {
    const isOurs = error instanceof DatabaseUnavailable;
    const failure = failureOf(error);
    // The caller tries again after a conflict, and knows why it limits its wait for a lock.
    if (!isOurs && (failure === null || failure === "conflict" || failure === "locked")) return error;
    this.options.meter?.missed();
    this.options.writability?.failed(error);
    if (isOurs) {
      const mostMs = Math.max(timeoutMs, this.options.queryTimeoutMs);
      this.watch(pending, answered, mostMs).catch(() => {});
      return error;
    }
    const intervalMs = failure === null ? undefined : REPLACE_AFTER_MS[failure];
    if (intervalMs !== undefined) pending.admitted.then((generation) => this.lost(generation, intervalMs));
    return new DatabaseUnavailable(describeError(error).error, error);
  }

  /**
   * Reports the connection as lost if it does not answer within `mostMs`. Neither a wait for a connection nor a caller's shorter
   * deadline shows a loss.
   */
  private async watch(pending: PendingWork, answered: Promise<unknown>, mostMs: number): Promise<void> {
    const generation = await pending.admitted;
    const now = systemClock.monotonic();
    const restMs = (pending.since ?? now) + mostMs - now;
    const settled = answered.catch(() => {});
    if (!(await within(systemClock, restMs, settled))) this.lost(generation);
  }

  private lost(generation: Generation, interval = REPLACE_INTERVAL_MS): void {
    if (this.closed || this.replacing || generation !== this.current) return;
    for (const notify of this.losses) notify();
    const wait = Math.max(0, this.replacedAt + interval - systemClock.monotonic());
    this.replacing = setTimeout(() => this.replace(), wait);
  }

  private replace(): void {
    this.replacing = null;
    if (this.closed) return;
    const old = this.current;
    this.current = this.open();
    const now = systemClock.monotonic();
    // Repeats during an outage: logs a warning once, and then at debug.
    const level = now - this.replacedAt < LASTING_MS ? "debug" : "warn";
    this.replacedAt = now;
    this.options.log[level]("a Postgres connection was lost; replacing the pool");
    for (const notify of this.losses) notify();
    this.onReplaced();
    // Lets work on healthy connections of the old pool finish. Two statements on one connection run one after the other.
    const { depth = 1, statementTimeoutMs, queryTimeoutMs } = this.options;
    endGeneration(old, depth * Math.max(statementTimeoutMs, queryTimeoutMs)).catch(() => {});
  }
}

async function runIn<T>(
  generation: Generation,
  kind: WorkKind,
  work: (generation: Generation) => Promise<T>,
): Promise<T> {
  const { settled, semaphore } = generation[kind];
  try {
    if (settled) await settled;
    return await work(generation);
  } finally {
    semaphore.release();
  }
}

// Leaves a broken transaction pending, since postgres.js ends it itself. If it saw the error here as well, it would send a
// rollback to the closed socket and treat the connection's next `begin` as part of the transaction (observed).
async function unlessLost<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    return new Promise(() => {});
  }
}

/** Waits for running work, at most `withinMs` milliseconds, and then closes the pools. */
async function endGeneration({ statements, transactions }: Generation, withinMs: number): Promise<void> {
  await Promise.all([endPool(statements, withinMs), endPool(transactions, withinMs)]);
}

// Closes a pool once it is empty. Work that waits in a closing pool runs on a connection that is never closed (observed).
async function endPool({ sql, semaphore }: BoundedPool, withinMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([semaphore.drained(), sleep(systemClock, withinMs, over.signal)]);
  over.abort();
  await sql.end({ timeout: 0 });
}

const MAX_TRIES = 5;

/** Repeats a transaction that Postgres aborted because of a deadlock or a serialization failure. */
export async function untilNoDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= MAX_TRIES || !isRetryable(error)) throw error;
    }
  }
}
