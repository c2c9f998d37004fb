import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { eventIdFrom, lastIdOf } from "../db/sql/event-key";
import type { DeliveryStatus } from "../domain/delivery-status";
import type { AccountId, DeliveryId, EventId } from "../domain/ids";

/** The ids that a block covers, both ends included. */
export type BlockSpan = Readonly<{
  accountId: AccountId;
  firstId: DeliveryId | EventId;
  lastId: DeliveryId | EventId;
}>;

/** A file with a part of an account's deliveries and events. */
export type ColdBlock = BlockSpan & Readonly<{ id: string; path: string; digest: string }>;

/** A range of ids, both ends included. */
export type IdSpan = Readonly<{ first: string; last: string }>;

/** Where a read looks: in one account, or with null in all. A block without such a delivery is left out. */
export type BlockScope = Readonly<{
  accountId: AccountId | null;
  span: IdSpan;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
}>;

/** Returns the ids of everything that an event has, or of the event that a delivery comes from. */
export function familyOf(id: DeliveryId | EventId): IdSpan {
  const first = eventIdFrom(id);
  return { first, last: lastIdOf(first) };
}

/** Returns the live blocks of a scope, at most `most`, newest first. */
export function readNewest(sql: AnySql, scope: BlockScope, most: number): Promise<ColdBlock[]> {
  return select(
    sql,
    sql`where ${isIn(sql, scope)} ${hasDelivery(sql, scope)} order by last_id desc limit ${most}`,
  );
}

/** Returns the first of an account's live blocks that reaches into a span. */
export async function readFirst(sql: AnySql, accountId: AccountId, span: IdSpan): Promise<ColdBlock | null> {
  const [first] = await select(sql, sql`where ${isIn(sql, { accountId, span })} order by first_id limit 1`);
  return first ?? null;
}

/** Returns an account's live blocks with the families of some ids, at most `most`. */
export function readHolding(
  sql: AnySql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
  most: number,
): Promise<ColdBlock[]> {
  const families = ids.map(familyOf);
  const sorted = families.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  const [oldest, newest] = [sorted.at(0), sorted.at(-1)];
  if (!oldest || !newest) return Promise.resolve([]);
  const span = { first: oldest.first, last: newest.last };
  return select(
    sql,
    sql`
      where ${isIn(sql, { accountId, span })} and exists (
        select from unnest(
          ${arrayOf(families.map(({ first }) => first))}::uuid[], ${arrayOf(families.map(({ last }) => last))}::uuid[]
        ) as f(first, last)
        where last_id >= f.first and first_id <= f.last
      )
      order by last_id limit ${most}
    `,
  );
}

/** Returns an account's live blocks with resends of some deliveries. */
export function readResending(
  sql: AnySql,
  accountId: AccountId,
  originals: readonly DeliveryId[],
): Promise<ColdBlock[]> {
  return select(
    sql,
    sql`
      where state = 'live' and account_id = ${accountId} and resent && ${arrayOf(originals)}::uuid[] order by last_id
    `,
  );
}

/** Returns all live blocks. */
export function readAll(sql: AnySql): Promise<ColdBlock[]> {
  return select(sql, sql`where state = 'live' order by last_id`);
}

/** True if an account has files. */
export async function hasBlocks(sql: AnySql, accountId: AccountId): Promise<boolean> {
  const rows = await sql`select from cold_blocks where state = 'live' and account_id = ${accountId} limit 1`;
  return rows.length > 0;
}

/** The place of an iterator: behind this delivery, in the order of stamps and ids. */
export type PlaceInOrder = Readonly<{ transaction: string; id: DeliveryId }>;

/** A block, and the least stamp that its deliveries behind a place may have. */
export type BlockBehind = ColdBlock & Readonly<{ next: string }>;

/** Returns the live blocks of a scope with deliveries behind a place, at most `most`, the one with the next delivery first. */
export function readBehind(
  sql: AnySql,
  scope: BlockScope,
  { transaction, id }: PlaceInOrder,
  most: number,
): Promise<BlockBehind[]> {
  const isLive = sql`${isIn(sql, scope)} ${hasDelivery(sql, scope)}`;
  // In the place's own transaction only a block with later ids may have a delivery.
  const behind = sql`int8range(${transaction}::bigint + (last_id <= ${id}::uuid)::integer, null)`;
  // Computes the next stamp only of the blocks that reach over the place. Of the others an index has it.
  return sql<BlockBehind[]>`
    select id, account_id as "accountId", first_id as "firstId", last_id as "lastId", path, digest, next::text as next
    from (
      (
        select *, lower(stamps) as next from cold_blocks where ${isLive} and lower(stamps) > ${transaction}::bigint
        order by lower(stamps), first_id limit ${most}
      )
      union all
      select b.*, n.next
      from cold_blocks b cross join lateral (select lower(stamps * int8multirange(${behind})) as next offset 0) n
      where ${isLive} and upper(stamps) > ${transaction}::bigint and lower(stamps) <= ${transaction}::bigint
    ) b
    where next is not null order by b.next, first_id limit ${most}
  `;
}

/** Returns a text that changes whenever a time range leaves Postgres, since its tables are made anew. */
export async function readRangeTables(sql: AnySql): Promise<string> {
  const [row] = await sql<{ tables: string }[]>`
    select string_agg(inhrelid::text, ' ' order by inhrelid) as tables from pg_inherits
    where inhparent = 'deliveries'::regclass
  `;
  return row?.tables ?? "";
}

/** Gives up an account's blocks that are not live yet and reach behind an id: Postgres has their rows, and changes them. */
export async function doomCopies(sql: TransactionSql, accountId: AccountId, from: string): Promise<void> {
  await sql`
    update cold_blocks set state = 'doomed'
    where account_id = ${accountId} and state in ('writing', 'written') and last_id >= ${from}
  `;
}

/** Gives a live block up, because its rows come back to Postgres. Resolves to false if it is not live. */
export async function takeBack(sql: TransactionSql, id: string): Promise<boolean> {
  const taken = await sql`update cold_blocks set state = 'doomed' where id = ${id} and state = 'live'`;
  return taken.count > 0;
}

function select(sql: AnySql, rest: Fragment): Promise<ColdBlock[]> {
  return sql<ColdBlock[]>`
    select id, account_id as "accountId", first_id as "firstId", last_id as "lastId", path, digest
    from cold_blocks ${rest}
  `;
}

function isIn(sql: AnySql, { accountId, span: { first, last } }: BlockScope): Fragment {
  const isOfAccount: Fragment = accountId === null ? sql`` : sql`and account_id = ${accountId}`;
  return sql`state = 'live' ${isOfAccount} and last_id >= ${first} and first_id <= ${last}`;
}

/** SQL: continues a condition: the counts of a block have a delivery of the event type and status. */
function hasDelivery(sql: AnySql, { event, status }: BlockScope): Fragment {
  if (event === undefined && status === undefined) return sql``;
  const wanted = [
    event === undefined ? "@.accepted > 0" : "@.event == $event",
    ...(status === undefined ? [] : [`@.${status} > 0`]),
  ];
  const path = `$[*] ? (${wanted.join(" && ")})`;
  return sql`and jsonb_path_exists(counts, ${path}::text::jsonpath, jsonb_build_object('event', ${event ?? ""}::text))`;
}
