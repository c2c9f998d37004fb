import type { Database } from "../db/database";
import type { AnySql, Fragment } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { intervalOf, unixMs } from "../db/sql/time";

/** The right to dispatch for a partition. `term` grows with every claim of the partition. */
export type Lease = { partition: number; term: number };

/** The result of a renewal. */
export type Renewal = {
  leases: Lease[];
  /** The number of partitions that is this dispatcher's fair share. */
  share: number;
  /** The time of the renewal on Postgres' clock, Unix milliseconds. */
  at: number;
  /** The latest end of a hold of an account that moves, Unix milliseconds; null for none. A change says that endpoints are held. */
  heldUntil: number | null;
};

/** Name of the setting that holds the longest lease any dispatcher ever had, in milliseconds. */
export const LONGEST_LEASE = "longest_lease_ms";

/**
 * Reads and writes the owners of partitions in Postgres. Every expiry is on Postgres' clock. An expiry more than two longest
 * leases ahead was written before that clock was set back, and counts as expired. Otherwise nobody could claim a dead
 * dispatcher's partitions until then.
 */
export class Leases {
  constructor(
    private readonly db: Database,
    private readonly owner: string,
    private readonly ttlMs: number,
  ) {}

  // Short: after a call that hangs, there is still time for other calls before the leases expire.
  private get timeoutMs(): number {
    return Math.round(this.ttlMs / 6);
  }

  private ttl(sql: AnySql): Fragment {
    return intervalOf(sql, this.ttlMs);
  }

  /** Creates missing rows of partitions, and records how long our leases last. Call this before anything else. */
  async prepare(partitions: number): Promise<void> {
    await this.db.run(
      (sql) => sql`
        with noted as (
          insert into settings as s (name, value) values (${LONGEST_LEASE}, ${String(this.ttlMs)})
          on conflict (name) do update set value = excluded.value where s.value::float8 < excluded.value::float8
        )
        insert into partition_leases (partition) select generate_series(0, ${partitions - 1}::integer)
        on conflict do nothing`,
    );
  }

  /**
   * Renews this dispatcher's leases, and marks it as alive. Removes a dispatcher that is leaving instead: the others' shares grow while
   * it still has attempts under way. One round trip, since a busy process may send a second one late.
   */
  async renew(isLeaving: boolean): Promise<Renewal> {
    const [row] = await this.db.run(
      (sql) => sql<Renewal[]>`
        with marked as (
          insert into dispatchers (id, expires_at)
          select ${this.owner}::uuid, now() + ${this.ttl(sql)} where not ${isLeaving}::boolean
          on conflict (id) do update set expires_at = excluded.expires_at
        ),
        -- Skips locked rows, which are being renewed: two expired dispatchers would wait for each other.
        removed as (
          delete from dispatchers where id in (
            select id from dispatchers
            where case when id = ${this.owner}::uuid then ${isLeaving}::boolean
              else expires_at < now() or expires_at > now() + ${twoLeases(sql)} end
            for update skip locked
          )
        ),
        renewed as (
          update partition_leases set expires_at = now() + ${this.ttl(sql)}
          where owner = ${this.owner}::uuid returning partition, term
        ),
        alive as (
          select id from dispatchers where expires_at > now() and expires_at <= now() + ${twoLeases(sql)}
          union select ${this.owner}::uuid
        ),
        total as (select count(*) as partitions, (select count(*) from alive) as dispatchers from partition_leases)
        select (partitions / dispatchers
            + case when (select count(*) from alive where id < ${this.owner}::uuid) < partitions % dispatchers
              then 1 else 0 end)::integer as share,
          ${unixMs(sql, "now()")} as at, (select max(${unixMs(sql, "held_until")}) from moves) as "heldUntil",
          (select coalesce(json_agg(renewed), '[]') from renewed) as leases
        from total`,
      this.timeoutMs,
    );
    if (!row) throw new Error("the renewal of leases returned no row");
    return row;
  }

  /**
   * Claims up to `count` partitions that have no owner, or whose lease expired before `expiredBefore` (Postgres' clock, Unix
   * milliseconds; `null` claims no expired ones). The caller chooses the time, since that clock may just have jumped.
   */
  claim(count: number, expiredBefore: number | null): Promise<Lease[]> {
    return this.db.run(
      (sql) => sql<Lease[]>`
        update partition_leases l
        set owner = ${this.owner}::uuid, term = l.term + 1,
          expires_at = now() + ${this.ttl(sql)}
        from (
          select partition from partition_leases
          where owner is null or expires_at < to_timestamp(${expiredBefore}::float8 / 1000)
            or (expires_at > to_timestamp(${expiredBefore}::float8 / 1000) + ${twoLeases(sql)}
              and expires_at > now() + ${twoLeases(sql)})
          order by partition limit ${count} for update skip locked
        ) free
        where l.partition = free.partition
        returning l.partition, l.term`,
      this.timeoutMs,
    );
  }

  /** Releases these leases, so that others can claim the partitions at once. A lease of a later term stays. */
  async release(leases: readonly Lease[]): Promise<void> {
    await this.db.run(
      (sql) => sql`
        update partition_leases l set owner = null, expires_at = null
        from unnest(
          ${arrayOf(leases.map((lease) => lease.partition))}::smallint[],
          ${arrayOf(leases.map((lease) => lease.term))}::bigint[]
        ) as r(partition, term)
        where l.owner = ${this.owner}::uuid and l.partition = r.partition and l.term = r.term`,
      this.timeoutMs,
    );
  }

  /** Releases all leases and removes this dispatcher. */
  async leave(): Promise<void> {
    await this.db.run(
      (sql) => sql`
        with removed as (delete from dispatchers where id = ${this.owner}::uuid)
        update partition_leases set owner = null, expires_at = null where owner = ${this.owner}::uuid`,
      this.timeoutMs,
    );
  }
}

/** SQL: twice the longest lease; null until a dispatcher has recorded its lease. A comparison with null matches no row. */
function twoLeases(sql: AnySql): Fragment {
  return sql`(select 2 * value::float8 * interval '1 millisecond' from settings where name = ${LONGEST_LEASE})`;
}
