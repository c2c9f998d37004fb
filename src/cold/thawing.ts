import { LOCKS, shareLock } from "../db/advisory-locks";
import type { TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId, DeliveryId, EventId } from "../domain/ids";
import { decodeBlock, insertRows } from "./block-file";
import {
  type ColdBlock,
  doomCopies,
  familyOf,
  type IdSpan,
  readFirst,
  readHolding,
  readResending,
  takeBack,
} from "./blocks";
import type { ColdStore } from "./store";

/**
 * Brings blocks back to Postgres, for work that changes or copies their rows. The same transaction inserts the rows and gives the
 * file up. The time range is frozen again later, with what was changed.
 */
export class Thawing {
  constructor(private readonly store: ColdStore) {}

  /** Returns the first block of an account that reaches into a span; null if Postgres has everything. */
  async first(sql: TransactionSql, accountId: AccountId, span: IdSpan): Promise<ColdBlock | null> {
    await keepRanges(sql);
    return readFirst(sql, accountId, span);
  }

  /** Brings a block back, unless another transaction has. */
  async restore(sql: TransactionSql, { id, path, digest }: ColdBlock): Promise<void> {
    if (!(await takeBack(sql, id))) return;
    await insertRows(sql, await decodeBlock(await this.store.get(path), digest));
  }

  /** Brings back the blocks that have these deliveries and events, with all that belongs to the same events. */
  async bring(
    sql: TransactionSql,
    accountId: AccountId,
    ids: readonly (DeliveryId | EventId)[],
  ): Promise<void> {
    if (ids.length === 0) return;
    await keepRanges(sql);
    const blocks = await readHolding(sql, accountId, ids, Number.MAX_SAFE_INTEGER);
    for (const block of blocks) await this.restore(sql, block);
  }

  /** Brings back the first block that has some of these deliveries. Returns those that are in further blocks. */
  async bringFirst(
    sql: TransactionSql,
    accountId: AccountId,
    ids: readonly DeliveryId[],
  ): Promise<ReadonlySet<DeliveryId>> {
    await keepRanges(sql);
    const [first, ...others] = await readHolding(sql, accountId, ids, Number.MAX_SAFE_INTEGER);
    if (first !== undefined) await this.restore(sql, first);
    return new Set(ids.filter((id) => others.some(({ firstId, lastId }) => firstId <= id && id <= lastId)));
  }

  /** Brings back all that may have the payload of these deliveries and events: their originals, and the resends of those. */
  async bringFamilies(
    sql: TransactionSql,
    accountId: AccountId,
    ids: readonly (DeliveryId | EventId)[],
  ): Promise<void> {
    // Comes first: a step that moves rows to files may have read the payload.
    await shareLock(sql, LOCKS.freezing);
    await this.bring(sql, accountId, ids);
    const originals = await readOriginals(sql, accountId, ids);
    await this.bring(sql, accountId, originals);
    const roots = [...ids, ...originals];
    const members = await readMembers(sql, accountId, roots);
    for (const block of await readResending(sql, accountId, members)) await this.restore(sql, block);
    // Files that were written, but whose rows are still in Postgres, have what the transaction is about to change.
    const [oldest] = roots.sort();
    if (oldest !== undefined) await doomCopies(sql, accountId, oldest);
  }
}

/** No time range is dropped from here to the end of the transaction: dropping needs the tables alone. */
async function keepRanges(sql: TransactionSql): Promise<void> {
  await sql`lock table deliveries in access share mode`;
}

async function readOriginals(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<DeliveryId[]> {
  const rows = await sql<{ id: DeliveryId }[]>`
    select distinct replay_of as id from deliveries
    where account_id = ${accountId} and id = any(${arrayOf(ids)}::uuid[]) and replay_of is not null
  `;
  return rows.map(({ id }) => id);
}

/** Returns the deliveries of the same events. */
async function readMembers(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly (DeliveryId | EventId)[],
): Promise<DeliveryId[]> {
  const families = ids.map(familyOf);
  const rows = await sql<{ id: DeliveryId }[]>`
    select d.id
    from unnest(
      ${arrayOf(families.map(({ first }) => first))}::uuid[], ${arrayOf(families.map(({ last }) => last))}::uuid[]
    ) as f(first, last)
    cross join lateral (
      select x.id from deliveries x
      where x.account_id = ${accountId} and x.id between f.first and f.last order by x.id offset 0
    ) d
  `;
  return rows.map(({ id }) => id);
}
