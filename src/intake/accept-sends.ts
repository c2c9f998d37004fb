import { arrayOf, plainArrayOf } from "../db/arrays";
import { isTaken } from "../db/idempotency-key";
import type { Fragment, Sql } from "../db/pool";
import { type EventFilter, filterMatchesSql } from "../endpoints/event-filter";
import type { AccountId, DeliveryId } from "../runtime/ids";
import { consequences, type Meter, type Metering, metered, payloadsOf, takeKeys } from "./acceptance";
import { type NewEventType, registering } from "./new-event-types";
import type { Send } from "./send";

/** A send with the identifier that its delivery will have. */
export type NumberedSend = Send & { id: DeliveryId };

/** A send that was accepted; its `sequence` is null when the endpoint's filter excluded it. */
export type AcceptedRow = {
  verdict: "accepted";
  id: DeliveryId;
  partition: number;
  revision: number;
  sequence: number | null;
  monthlyLimit: number | null;
};

/**
 * What the statement says of a send; a send it does not mention has an unknown endpoint or a taken key. Of accounts that
 * have a limit, where none should, it says nothing else. What it says of an endpoint is surely of one moment if it `isSettled`:
 * where a statement has waited for a row, it goes on with that row as it is now and all others as they were.
 */
export type AcceptRow =
  | (AcceptedRow & { filter: EventFilter; filterRevision: number; isSettled: boolean })
  | { verdict: "over_limit"; id: DeliveryId; monthlyLimit: number }
  | { verdict: "has_limit"; id: AccountId };

export type AcceptOptions = Readonly<{
  newEventTypes: readonly NewEventType[];
  meter: Meter;
  metering: Metering;
}>;

/**
 * Accepts many sends in one statement, which is one transaction. The mailboxes' rows are locked in the order
 * of their ids, and the numbers are given under that lock: so the order of commits is the order of sequences,
 * without gaps. Keys are claimed after the mailboxes and before anything is counted, so a key, its delivery
 * and the count commit together. Twins of one key must not be in one batch. Without keys or new event types among them
 * the statement is a shorter one (measured: a tenth of its time), so those without pay nothing for them; and shorter
 * again without limits (a twelfth), but if an account has one after all it accepts nothing and tells which.
 */
export function acceptSends(
  sql: Sql,
  sends: readonly NumberedSend[],
  { newEventTypes, meter, metering }: AcceptOptions,
): Promise<AcceptRow[]> {
  const keys = sends.some(({ idempotency }) => idempotency) ? keysOf(sql, sends) : withoutKeys(sql);
  const isAccepted: Fragment = sql`exists (select from accepted a where a.account_id = t.account_id and a.event = t.name)`;
  const limits = metering === "held" ? heldLimits(sql, meter, keys.areFree) : noLimits(sql, keys.areFree);
  return sql<AcceptRow[]>`
    with input as materialized (
      select * from unnest(
        ${plainArrayOf(sends.map((send) => send.id))}::uuid[],
        ${plainArrayOf(sends.map((send) => send.accountId))}::uuid[],
        ${plainArrayOf(sends.map((send) => send.endpointId))}::uuid[],
        ${arrayOf(sends.map((send) => send.event))}::text[],
        ${arrayOf(sends.map((send) => send.orderingKey))}::text[]
        ${keys.parameters}
      ) with ordinality as i(id, account_id, endpoint_id, event, ordering_key ${keys.columns}, n)
    ),
    ${limits.limited}
    located as materialized (
      select i.*, m.partition, m.revision, m.filter_revision, m.last_sequence, e.event_types,
        ${sql.unsafe(filterMatchesSql)} as routed,
        age(m.xmin) > age(xid(pg_snapshot_xmin(pg_current_snapshot()))) as is_settled
      from input i
      join mailboxes m on m.endpoint_id = i.endpoint_id
      join endpoints e on e.id = m.endpoint_id and e.account_id = i.account_id
      where ${limits.mayAccept}
      order by m.endpoint_id, i.n
      for update of m
    ),
    ${limits.affordable}
    ${keys.claims}
    accepted as materialized (
      select a.*, case when routed then
          last_sequence + row_number() over (partition by endpoint_id, routed order by n) end as sequence
      from affordable a
      where ${keys.areClaimed}
    ),
    ${consequences(sql, meter, { data: payloadsOf(sql, sends), metering })}
    ${newEventTypes.length > 0 ? sql`, registered as (${registering(sql, newEventTypes, isAccepted)})` : sql``}
    select 'accepted' as verdict, id, partition, revision, sequence, monthly_limit as "monthlyLimit",
      event_types as filter, filter_revision as "filterRevision", is_settled as "isSettled"
    from accepted
    union all
    ${limits.refused}
  `;
}

/** What limits add to the statement. */
type LimitParts = Record<"limited" | "mayAccept" | "affordable" | "refused", Fragment>;

function heldLimits(sql: Sql, meter: Meter, areFree: Fragment): LimitParts {
  return {
    limited: sql``,
    mayAccept: sql`true`,
    affordable: sql`
      metered as materialized (
        ${metered(sql, meter)}
      ),
      open as materialized (
        select l.*, m.used, m.monthly_limit, row_number() over (partition by l.account_id order by l.n) as nth_of_account
        from located l
        join metered m on m.account_id = l.account_id
        where ${areFree}
      ),
      affordable as (
        select * from open where monthly_limit is null or used + nth_of_account <= monthly_limit
      ),
    `,
    refused: sql`
      select 'over_limit', id, null, null, null, monthly_limit, null, null, null from open
      where monthly_limit is not null and used + nth_of_account > monthly_limit
    `,
  };
}

function noLimits(sql: Sql, areFree: Fragment): LimitParts {
  return {
    limited: sql`
      limited as materialized (
        select a.id from accounts a join plans p on p.name = a.plan
        where a.id in (select account_id from input) and p.webhooks_per_month is not null
      ),
    `,
    mayAccept: sql`not exists (select from limited)`,
    affordable: sql`
      affordable as (
        select l.*, null::bigint as monthly_limit from located l where ${areFree}
      ),
    `,
    refused: sql`select 'has_limit', id, null, null, null, null, null, null, null from limited`,
  };
}

/** What idempotency keys add to the statement. */
type KeyParts = Record<"parameters" | "columns" | "areFree" | "claims" | "areClaimed", Fragment>;

function keysOf(sql: Sql, sends: readonly NumberedSend[]): KeyParts {
  return {
    parameters: sql`,
      ${arrayOf(sends.map((send) => send.idempotency?.key ?? null))}::text[],
      ${arrayOf(sends.map((send) => send.idempotency?.fingerprint ?? null))}::bytea[]
    `,
    columns: sql`, key, fingerprint`,
    areFree: sql`
      l.key is null or not exists (
        select from idempotency_keys k where ${isTaken(sql, "l")}
      )
    `,
    claims: sql`
      claimed as (
        insert into idempotency_keys as k (account_id, key, fingerprint, delivery_id)
        select account_id, key, fingerprint, id from affordable where key is not null order by account_id, key
        ${takeKeys(sql)}
      ),
    `,
    areClaimed: sql`key is null or id in (select delivery_id from claimed)`,
  };
}

function withoutKeys(sql: Sql): KeyParts {
  const nothing: Fragment = sql``;
  return {
    parameters: nothing,
    columns: nothing,
    areFree: sql`true`,
    claims: nothing,
    areClaimed: sql`true`,
  };
}
