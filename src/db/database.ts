import { drizzle } from "drizzle-orm/postgres-js";
import type { Log } from "../runtime/log";
import { describeError } from "../runtime/log";
import { Turnstile } from "../runtime/turnstile";
import { createPool, isUnavailable, type PoolOptions, type Sql, type TransactionSql } from "./pool";
import * as schema from "./schema";

export type Orm = ReturnType<typeof drizzle<typeof schema>>;

/** Postgres was out of reach or too slow. What was asked may or may not have been done. */
export class DatabaseUnavailable extends Error {
  constructor(readonly reason: string) {
    super(`Postgres is out of reach: ${reason}`);
    this.name = "DatabaseUnavailable";
  }
}

export type DatabaseOptions = PoolOptions & {
  /** A query is given up after this many milliseconds, whatever the driver does. */
  queryTimeoutMs: number;
  log: Log;
};

/** A pool, and the way in: as many works at a time as it has connections. */
type Generation = { sql: Sql; orm: Orm | null; turnstile: Turnstile };

/** The least time between two pools, milliseconds: a server that refuses is not stormed. */
const REPLACE_INTERVAL_MS = 100;

/**
 * A pool that survives. postgres.js loses slots on Bun when backends die under it (measured: after ten
 * rounds of terminated backends a third of the speed is left, after thirty some queries never settle), so a
 * pool that lost a connection is replaced whole, and every query has a deadline of our own.
 */
export class Database {
  private current: Generation;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private replacing: Timer | null = null;
  private closed = false;

  constructor(private readonly options: DatabaseOptions) {
    this.current = this.open();
  }

  /** Runs one piece of work on the pool. Throws `DatabaseUnavailable`, or the statement's own error. */
  run<T>(work: (sql: Sql) => Promise<T>, timeoutMs = this.options.queryTimeoutMs): Promise<T> {
    return this.guard((generation) => work(generation.sql), timeoutMs);
  }

  /** The same through drizzle. */
  query<T>(work: (orm: Orm) => Promise<T>, timeoutMs = this.options.queryTimeoutMs): Promise<T> {
    return this.guard((generation) => {
      generation.orm ??= drizzle(generation.sql, { schema });
      return work(generation.orm);
    }, timeoutMs);
  }

  /** Everything in `work` commits together or not at all. */
  transaction<T>(work: (sql: TransactionSql) => Promise<T>, timeoutMs?: number): Promise<T> {
    return this.run((sql) => sql.begin(work) as Promise<T>, timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.replacing) clearTimeout(this.replacing);
    await this.current.sql.end({ timeout: 5 });
  }

  private open(): Generation {
    const generation: Generation = {
      orm: null,
      turnstile: new Turnstile(this.options.size),
      sql: createPool(this.options, () => this.lost(generation)),
    };
    return generation;
  }

  private async guard<T>(work: (generation: Generation) => Promise<T>, timeoutMs: number): Promise<T> {
    const overdue = new AbortController();
    let timer: Timer | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        overdue.abort();
        reject(new DatabaseUnavailable(`no answer in ${timeoutMs} ms`));
      }, timeoutMs);
    });
    const entered = this.enter(overdue.signal);
    try {
      return await Promise.race([entered.then((generation) => this.runIn(generation, work)), deadline]);
    } catch (error) {
      throw await this.judge(error, entered, timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  // A connection that is busy may be given a second query by postgres.js. If that is the `begin` of a transaction, the
  // connection is not reserved for it, and what others write there is answered but never committed (tried). So no more
  // works than connections are let in.
  private async enter(overdue: AbortSignal): Promise<Generation> {
    for (;;) {
      const generation = this.current;
      if (!(await generation.turnstile.enter(overdue)))
        throw new DatabaseUnavailable("no connection is free");
      if (generation === this.current) return generation;
      // The pool was replaced in the meantime.
      generation.turnstile.leave();
    }
  }

  private async runIn<T>(generation: Generation, work: (generation: Generation) => Promise<T>): Promise<T> {
    try {
      return await work(generation);
    } finally {
      generation.turnstile.leave();
    }
  }

  private async judge(error: unknown, entered: Promise<Generation>, timeoutMs: number): Promise<unknown> {
    // drizzle wraps the driver's error.
    const cause = error instanceof Error && error.cause ? error.cause : error;
    const isOurs = cause instanceof DatabaseUnavailable;
    if (!isOurs && !isUnavailable(cause)) return cause;
    // A caller in a hurry says nothing about the connection.
    const isTelling = !isOurs || timeoutMs >= this.options.queryTimeoutMs;
    if (isTelling) entered.then((generation) => this.lost(generation)).catch(() => this.lost(this.current));
    return isOurs ? cause : new DatabaseUnavailable(describeError(cause).error);
  }

  private lost(generation: Generation): void {
    if (this.closed || this.replacing || generation !== this.current) return;
    const wait = Math.max(0, this.replacedAt + REPLACE_INTERVAL_MS - performance.now());
    this.replacing = setTimeout(() => this.replace(), wait);
  }

  private replace(): void {
    this.replacing = null;
    if (this.closed) return;
    const old = this.current;
    this.current = this.open();
    this.replacedAt = performance.now();
    this.options.log.warn("a Postgres connection was lost: the pool is replaced");
    // What still runs on healthy connections of the old pool may finish.
    old.sql.end({ timeout: this.options.queryTimeoutMs / 1_000 }).catch(() => {});
  }
}
