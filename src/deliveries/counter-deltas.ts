import { LOCKS } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";

/**
 * Interval between folds. Reads sum every delta that is not folded yet, and a busy installation writes thousands a second.
 */
const EVERY_MS = 500;

/** Folds counter deltas into the counters and the totals, periodically. */
export function foldingCounterDeltas({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Loop {
  return new Loop({
    clock,
    round: async () => {
      await db.run(foldCounterDeltas);
      return EVERY_MS;
    },
    failed: (error) => {
      log.debug(describeError(error), "could not add counter deltas to the totals; the next round adds them");
      return EVERY_MS;
    },
  });
}

/**
 * Moves all counter deltas into the counters and the totals, in one statement. So a reader finds each delta in exactly one of
 * the two places. Does nothing while another process folds, so no two processes wait for each other's counters.
 */
export async function foldCounterDeltas(sql: AnySql): Promise<void> {
  await sql`
    with lock as materialized (select pg_try_advisory_xact_lock(${LOCKS.counterDeltas}) as is_ours),
    taken as (
      delete from counter_deltas d using lock where lock.is_ours
      returning d.account_id, d.event, d.accepted, d.delivered, d.failed, d.cancelled
    ),
    counted as (
      insert into counters as c (account_id, event, accepted, delivered, failed, cancelled)
      select account_id, event, sum(accepted), sum(delivered), sum(failed), sum(cancelled)
      from taken group by 1, 2 order by 1, 2
      on conflict (account_id, event) do update
        set accepted = c.accepted + excluded.accepted, delivered = c.delivered + excluded.delivered,
          failed = c.failed + excluded.failed, cancelled = c.cancelled + excluded.cancelled
    )
    insert into totals as t (account_id, accepted, delivered, failed, cancelled)
    select account_id, sum(accepted), sum(delivered), sum(failed), sum(cancelled) from taken group by 1 order by 1
    on conflict (account_id) do update
      set accepted = t.accepted + excluded.accepted, delivered = t.delivered + excluded.delivered,
        failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled
  `;
}
