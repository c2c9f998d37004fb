import {
  ofPgPool,
  ofPostgresJs,
  ofSqlite,
  type PgClient,
  type PgPool,
  type PostgresJs,
  type PostgresJsTransaction,
  type Sqlite,
} from "./database.ts";
import { Inbox, type InboxOptions } from "./inbox.ts";

export type { PgClient, PgPool, PostgresJs, PostgresJsTransaction, Sqlite } from "./database.ts";
export type { Inbox, InboxEvent, InboxOptions, InboxWork } from "./inbox.ts";
export { NumberCameAgain } from "./store.ts";

/** Makes an inbox in the receiver's database: postgres.js, a `Pool` of pg, bun:sqlite or node:sqlite. */
export function inbox<Tx extends PostgresJsTransaction>(
  sql: PostgresJs<Tx>,
  options: InboxOptions,
): Inbox<Tx>;
export function inbox<Client extends PgClient>(pool: PgPool<Client>, options: InboxOptions): Inbox<Client>;
export function inbox<Db extends Sqlite>(db: Db, options: InboxOptions): Inbox<Db>;
export function inbox(
  database: PostgresJs<PostgresJsTransaction> | PgPool<PgClient> | Sqlite,
  options: InboxOptions,
): Inbox<PostgresJsTransaction> | Inbox<PgClient> | Inbox<Sqlite> {
  if ("begin" in database) return new Inbox(ofPostgresJs(database), options);
  if ("connect" in database) return new Inbox(ofPgPool(database), options);
  return new Inbox(ofSqlite(database), options);
}
