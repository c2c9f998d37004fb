import type { Database } from "../../db/database";
import { isKey, lifetime } from "../../db/idempotency-key";

/** Rows deleted in one statement, so that none holds its locks for long. */
const CHUNK = 1_000;

/** Deletes the keys whose day is over, by Postgres' clock, which began it; answers how many. */
export async function sweepIdempotencyKeys(db: Database): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await db.run(
      (sql) => sql`
        with over as materialized (
          select account_id, key from idempotency_keys where created_at <= now() - ${lifetime(sql)}
          order by created_at limit ${CHUNK} for update skip locked
        )
        delete from idempotency_keys k using over o where ${isKey(sql, "o")}`,
    );
    total += deleted.count;
    if (deleted.count < CHUNK) return total;
  }
}
