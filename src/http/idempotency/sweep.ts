import type { Database } from "../../db/database";
import { isKey, kept } from "../../db/idempotency-key";

/** Rows deleted in one statement, so that none holds its locks for long. */
const CHUNK = 1_000;

/** Deletes the keys that are kept no longer, by Postgres' clock, which began it; answers how many. */
export async function sweepIdempotencyKeys(db: Database): Promise<number> {
  let total = 0;
  // Each chunk begins where the one before ended: else all go over what is deleted and not yet vacuumed.
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
