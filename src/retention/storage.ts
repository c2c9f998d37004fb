import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import { rangeOf } from "./time-range";

/** The disk that Hermod takes in Postgres, and the reasons why it can't take less. */
export type Storage = Readonly<{
  /** Bytes of all tables with their indexes. */
  bytes: number;
  /** Bytes of the files with old deliveries. */
  fileBytes: number;
  /** Start of the oldest time range, Unix milliseconds; null before the first one. */
  oldestRange: number | null;
  /** Age of the oldest open or prepared transaction, in milliseconds; 0 without one. */
  oldestTransactionMs: number;
}>;

/** The figures are read at most this often, since each read takes a look at every file of the tables. */
const FRESH_MS = 60_000;
/** Time limit of a read. */
const READ_MS = 2_000;

/** Returns a read of the figures that may be a minute old. It throws `DatabaseUnavailable`. */
export function recentStorage(db: Database, clock: Clock): () => Promise<Storage> {
  const cache = new FreshCache<"storage", null, Storage>({
    clock,
    read: () => db.run(readStorage, READ_MS),
    trustMs: FRESH_MS,
    refreshAfterMs: FRESH_MS,
    maxEntries: 1,
  });
  return async () => cache.fresh("storage", null) ?? (await cache.load("storage", null));
}

type StorageRow = Readonly<{ bytes: number; fileBytes: number; earliest: string | null; oldest: number }>;

/**
 * Reads the figures in one statement: the sizes of the files, the end of the range before all others, and
 * Postgres' lists of transactions.
 * Postgres shows other users' transactions only to members of pg_read_all_stats.
 */
export async function readStorage(sql: Sql): Promise<Storage> {
  const [row] = await sql<StorageRow[]>`
    select
      (
        select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 from pg_class c
        where c.relkind = 'r' and c.relnamespace = (select relnamespace from pg_class where oid = 'deliveries'::regclass)
      ) as bytes,
      (select coalesce(sum(byte_count), 0)::float8 from cold_blocks where state = 'live') as "fileBytes",
      (
        select pg_get_expr(c.relpartbound, c.oid) from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'deliveries'::regclass and pg_get_expr(c.relpartbound, c.oid) like 'FOR VALUES FROM (MINVALUE)%'
      ) as earliest,
      (
        select coalesce(extract(epoch from clock_timestamp() - min(since)), 0)::float8 * 1000 from (
          select xact_start as since from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          union all
          select prepared from pg_prepared_xacts where database = current_database()
        ) open
      ) as oldest
  `;
  if (!row) throw new Error("the figures of the storage are one row");
  const oldestRange = row.earliest === null ? null : rangeOf(row.earliest).to;
  return { bytes: row.bytes, fileBytes: row.fileBytes, oldestRange, oldestTransactionMs: row.oldest };
}
