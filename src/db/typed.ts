import { DrizzleQueryError } from "drizzle-orm";
import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { AnySql } from "./pool";

const builders = new WeakMap<AnySql, PgRemoteDatabase>();

/**
 * Returns drizzle's query builder over a connection or a transaction, so that the schema checks ordinary statements.
 * drizzle's own driver for postgres.js would change how that driver reads times in all other statements.
 */
export function typed(sql: AnySql): PgRemoteDatabase {
  const known = builders.get(sql);
  if (known) return known;
  const builder = drizzle(async (text, params, method, typings) => {
    // postgres.js would encode JSON a second time: drizzle has already encoded it.
    const values = params.map((value, i) =>
      typings?.[i] === "json" && typeof value === "string" ? JSON.parse(value) : value,
    );
    const query = sql.unsafe(text, values, { prepare: true });
    return { rows: await (method === "all" ? query.values() : query) };
  });
  builders.set(sql, builder);
  return builder;
}

/** Returns the error inside drizzle's, whose message repeats the statement's parameters, which may be secret. */
export function unwrapped(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}
