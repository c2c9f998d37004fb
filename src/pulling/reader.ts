import type { TransactionSql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import type { AccountId, EndpointId } from "../domain/ids";
import type { Ordering } from "../domain/tuning";

/** An endpoint whose receiver reads, as of the transaction that has locked it. */
export type Reader = Readonly<{
  accountId: AccountId;
  endpointId: EndpointId;
  partition: number;
  ordering: Ordering;
  /** True if it has a URL, so that its deliveries are pushed. */
  isPushed: boolean;
  /** True while deliveries may be in flight in the way from which it was switched. */
  isSwitching: boolean;
  /** True if the next success is to be written to the endpoint. */
  isFailing: boolean;
  /** Null for the service's own schedule. */
  retryScheduleMs: readonly number[] | null;
  stopsWhenExhausted: boolean;
  /** Postgres' time, in Unix milliseconds. */
  now: number;
}>;

/** Locks an endpoint, so that requests and changes follow each other, and notes the request. Resolves to null if it is unknown. */
export async function lockReader(
  sql: TransactionSql,
  accountId: AccountId,
  endpointId: EndpointId,
): Promise<Reader | null> {
  const [reader] = await sql<Reader[]>`
    update endpoints e set last_read_at = case when e.url is null then now() else e.last_read_at end
    from mailboxes m
    where e.id = ${endpointId} and e.account_id = ${accountId} and e.deleted_at is null and m.endpoint_id = e.id
    returning e.account_id as "accountId", e.id as "endpointId", m.partition, e.ordering::text as ordering,
      e.url is not null as "isPushed", coalesce(e.switched_until > now(), false) as "isSwitching",
      e.failing_since is not null or e.rests_until is not null as "isFailing", e.retry_schedule_ms as "retryScheduleMs",
      e.on_exhausted = 'pause' as "stopsWhenExhausted", ${unixMs(sql, "now()")} as now
  `;
  return reader ?? null;
}

/** Ends the wait after a switch to push: receivers have acknowledged all pages. The dispatcher reads the endpoint again. */
export async function endSwitch(sql: TransactionSql, { endpointId }: Reader): Promise<void> {
  await sql`update endpoints set switched_until = null where id = ${endpointId}`;
  await sql`update mailboxes set revision = revision + 1 where endpoint_id = ${endpointId}`;
}

export async function moveTo(
  sql: TransactionSql,
  { endpointId }: Reader,
  position: string | null,
): Promise<void> {
  await sql`update endpoints set read_position = ${position} where id = ${endpointId}`;
}

/** Lets the next search of an unordered endpoint begin no later than with the delivery that was handed back. */
export async function moveBackTo(
  sql: TransactionSql,
  { endpointId }: Reader,
  sequence: number,
): Promise<void> {
  await sql`
    update endpoints set read_position = least(read_position::bigint, ${sequence}::bigint - 1)::text where id = ${endpointId}
  `;
}
