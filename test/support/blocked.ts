import type { Database } from "../../src/db/database";
import { until } from "./faults/until";

/** Resolves once a transaction of this database waits for another one's lock. */
export async function untilBlocked(db: Database): Promise<void> {
  const blocked = () =>
    db.run(
      (sql) => sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await until(async () => (await blocked()).length > 0, { what: "a wait for a lock" });
}
