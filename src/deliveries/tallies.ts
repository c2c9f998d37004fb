import { LOCKS } from "../db/advisory-locks";
import { COUNTER_SLOTS } from "../db/counter-slots";
import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";

/** Until then a figure is the sum of so many more rows (measured: a busy API writes 550 a second). Milliseconds. */
const EVERY_MS = 500;

/** Adds what is tallied to the counters and the totals, again and again. */
export function addingTallies({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Loop {
  return new Loop({
    clock,
    round: async () => {
      await db.run(addTallies);
      return EVERY_MS;
    },
    failed: (error) => {
      log.debug(describeError(error), "tallies are added up later");
      return EVERY_MS;
    },
  });
}

/** Whoever reads finds each tally in one of the two places. Nothing happens while another process is at it. */
export async function addTallies(sql: AnySql): Promise<void> {
  await sql`
    with turn as materialized (select pg_try_advisory_xact_lock(${LOCKS.tallies}) as is_mine),
    taken as (
      delete from tallies t using turn where turn.is_mine
      returning t.account_id, t.event, t.accepted, t.delivered
    ),
    counted as (
      insert into counters as c (account_id, event, slot, accepted, delivered)
      select account_id, event, ${COUNTER_SLOTS.tallies}::smallint, sum(accepted), sum(delivered) from taken group by 1, 2 order by 1, 2
      on conflict (account_id, event, slot) do update
        set accepted = c.accepted + excluded.accepted, delivered = c.delivered + excluded.delivered
    )
    insert into totals as t (account_id, slot, accepted, delivered)
    select account_id, ${COUNTER_SLOTS.tallies}::smallint, sum(accepted), sum(delivered) from taken group by 1 order by 1
    on conflict (account_id, slot) do update
      set accepted = t.accepted + excluded.accepted, delivered = t.delivered + excluded.delivered
  `;
}
