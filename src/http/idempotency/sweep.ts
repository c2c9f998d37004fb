import type { Database } from "../../db/database";
import { isKey, KEY_LIFETIME_MS } from "../../db/idempotency-key";

/** Rows deleted in one statement, so that none holds its locks for long. */
const CHUNK = 1_000;

/** Deletes the keys whose day is over; answers how many. */
export async function sweepIdempotencyKeys(db: Database, now: number): Promise<number> {
  const expiry = new Date(now - KEY_LIFETIME_MS);
  let total = 0;
  for (;;) {
    const deleted = await db.run(
      (sql) => sql`
        with over as materialized (
          select account_id, key from idempotency_keys where created_at <= ${expiry}
          order by created_at limit ${CHUNK} for update skip locked
        )
        delete from idempotency_keys k using over o where ${isKey(sql, "o")}`,
    );
    total += deleted.count;
    if (deleted.count < CHUNK) return total;
  }
}
