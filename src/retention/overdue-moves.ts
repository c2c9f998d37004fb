import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import type { AccountId } from "../domain/ids";
import { channelOf } from "../domain/move-channel";
import { type Clock, sleep } from "../runtime/clock";

/** The subscriber connects again after 5 s, so a slot that it has just lost stays free for long enough. */
const TRIES = 20;
const TRY_AGAIN_MS = 50;

/** True while an account moves: until the deadline, and after it if the account is on its way. */
export async function isMoving(sql: TransactionSql): Promise<boolean> {
  const rows = await sql`
    select from moves m left join accounts a on a.id = m.account_id
    where m.deadline > now() or a.departure is not null or exists (select from moved_rows r where r.account_id = m.account_id)
    limit 1
  `;
  return rows.length > 0;
}

/**
 * Drops the replication slots of moves from this cell whose deadline is over, so that Postgres keeps no more WAL for them. The next try
 * of such a move copies again. Returns the accounts.
 */
export async function dropOverdueSlots(db: Database, clock: Clock): Promise<AccountId[]> {
  const overdue = await db.run(
    (sql) => sql<{ id: AccountId }[]>`
      select a.id from moves m join accounts a on a.id = m.account_id where m.deadline <= now() and a.departure is null
    `,
  );
  const dropped: AccountId[] = [];
  for (const { id } of overdue) if (await dropSlot(db, channelOf(id).slot, clock)) dropped.push(id);
  return dropped;
}

/** Resolves to false if there is no such slot, or if it stays in use. */
async function dropSlot(db: Database, name: string, clock: Clock): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const [slot] = await db.run(
      (sql) => sql<{ isActive: boolean }[]>`
        select active as "isActive", pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = ${name}
      `,
    );
    if (!slot) return false;
    if (!slot.isActive) {
      await db.run((sql) => sql`select pg_drop_replication_slot(${name})`);
      return true;
    }
    await sleep(clock, TRY_AGAIN_MS);
  }
  return false;
}
