import { LOCKS, tryLock } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import { codeOf, DELIVERED_KINDS, ENDED_KINDS, KIND_COUNT } from "../domain/tally";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";

const MINUTE_MS = 60_000;
/** Wait from the start of a minute until the previous minute is folded. */
const MARGIN_MS = 20;
const RETRY_MS = 5_000;

/** The subject of the whole installation's rows. */
export const EVERYTHING = "00000000-0000-0000-0000-000000000000";

/** Folds each minute's tallies once it is over. */
export function foldingTallies({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Loop {
  return new Loop({
    clock,
    round: async () => {
      const now = await db.transaction(foldTallies);
      return MINUTE_MS - (now % MINUTE_MS) + MARGIN_MS;
    },
    failed: (error) => {
      log.debug(describeError(error), "could not add up the counts of past minutes; trying again in 5 s");
      return RETRY_MS;
    },
  });
}

/**
 * Folds past minutes, in one process at a time; the others do nothing. Returns Postgres' time, Unix milliseconds. A tally that
 * commits too late for its minute's fold is in the next fold, which adds it to its own minute.
 */
export async function foldTallies(sql: TransactionSql): Promise<number> {
  if (await tryLock(sql, LOCKS.tallies)) await foldLocked(sql);
  const [row] = await sql<{ now: number }[]>`select ${unixMs(sql, "now()")} as now`;
  return row?.now ?? 0;
}

/**
 * Moves the tallies of past minutes into the series: a row for each endpoint, for its account and for the whole installation.
 * One statement, so a reader finds each tally in exactly one of the two places. Also counts the deliveries accepted since the
 * last fold, by the endpoints' last sequences, so that accepting costs nothing.
 */
async function foldLocked(sql: TransactionSql): Promise<void> {
  await sql`
    with this_minute as materialized (select date_trunc('minute', now()) as minute),
    taken as (
      delete from tallies t using this_minute where t.at < this_minute.minute returning t.at, t.endpoint_ids, t.codes, t.counts
    ),
    each as materialized (
      select date_trunc('minute', t.at) as at, u.endpoint_id, u.code, sum(coalesce(u.n, 1))::bigint as n, max(t.at) as last
      from taken t cross join lateral unnest(t.endpoint_ids, t.codes, t.counts) as u(endpoint_id, code, n)
      group by 1, 2, 3
    ),
    grown as materialized (
      select l.endpoint_id, max(l.last_sequence) as accepted, max(l.last_sequence) - coalesce(max(p.accepted), 0) as n
      from (
        select m.endpoint_id, m.last_sequence from mailboxes m cross join this_minute
        union all
        select endpoint_id, n from each where code = ${codeOf("lastSequence")}
      ) l
      left join series_positions p on p.endpoint_id = l.endpoint_id
      where l.last_sequence > coalesce(p.accepted, 0)
      group by 1
    ),
    facts as (
      select at, endpoint_id, code, n from each where code <> ${codeOf("lastSequence")}
      union all
      select this_minute.minute - interval '1 minute', g.endpoint_id, ${codeOf("accepted")}, g.n from grown g cross join this_minute
    ),
    placed as (
      select f.at, s.subject, f.code, f.n
      from facts f
      join endpoints e on e.id = f.endpoint_id
      cross join lateral (values (e.id), (e.account_id), (${EVERYTHING}::uuid)) as s(subject)
    ),
    summed as (select at, subject, code, sum(n)::integer as n from placed group by 1, 2, 3),
    positioned as (
      insert into series_positions as p (endpoint_id, accepted, ended, last_success_at)
      select endpoint_id, coalesce(max(accepted), 0), coalesce(sum(ended), 0), max(last_success_at)
      from (
        select endpoint_id, accepted, null as ended, null::timestamptz as last_success_at from grown
        union all
        select endpoint_id, null, sum(n) filter (where code % ${KIND_COUNT} in ${sql(ENDED_KINDS)}),
          max(last) filter (where code % ${KIND_COUNT} in ${sql(DELIVERED_KINDS)})
        from each group by 1
      ) x
      group by 1
      on conflict (endpoint_id) do update
        set accepted = greatest(p.accepted, excluded.accepted), ended = p.ended + excluded.ended,
          last_success_at = greatest(p.last_success_at, excluded.last_success_at)
    )
    insert into series as s (subject, at, codes, counts)
    select subject, at, array_agg(code), array_agg(n) from summed group by 1, 2
    on conflict (subject, at) do update
      set codes = s.codes || excluded.codes, counts = s.counts || excluded.counts
  `;
}
