import type { Database } from "../../db/database";
import { isKey, kept } from "../../db/sql/idempotency-key";

/** Most rows that one statement deletes, so that its locks are short. */
const CHUNK = 1_000;

/** Deletes expired keys and returns their number. Uses Postgres' clock, which also set their creation times. */
export async function deleteExpiredIdempotencyKeys(db: Database): Promise<number> {
  let total = 0;
  // Starts each chunk where the last one ended. Otherwise every chunk would scan the deleted rows that are not vacuumed yet.
  for (let from = new Date(0); ; ) {
    const { count, last } = await deleteChunk(db, from);
    total += count;
    if (count < CHUNK || last === null) return total;
    from = last;
  }
}

type Chunk = { count: number; last: Date | null };

async function deleteChunk(db: Database, from: Date): Promise<Chunk> {
  const [chunk] = await db.run(
    (sql) => sql<Chunk[]>`
      with over as materialized (
        select account_id, key from idempotency_keys
          where created_at >= ${from} and created_at <= now() - ${kept(sql)}
        order by created_at limit ${CHUNK} for update skip locked
      ),
      gone as (delete from idempotency_keys k using over o where ${isKey(sql, "o")} returning k.created_at)
      select count(*) as count, max(created_at) as last from gone`,
  );
  return chunk ?? { count: 0, last: null };
}
