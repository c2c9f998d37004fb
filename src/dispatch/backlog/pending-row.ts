import type { Sql } from "../../db/pool";
import type { AccountId, DeliveryId } from "../../domain/ids";
import type { PendingDelivery } from "../delivery";

/** A delivery as a page reads it. */
export type PendingRow = {
  /** Null without a delivery; then all others are null too. */
  sequence: number | null;
  id: DeliveryId | null;
  attemptCount: number | null;
  hasSingleAttempt: boolean | null;
  event: string | null;
  orderingKey: string | null;
  replayOf: DeliveryId | null;
  eventExternalId: string | null;
  /** Size of the payload; null if it is beyond the page's limit. */
  bytes: number | null;
  /** Null when it is too large for the page. */
  data: string | null;
};

/** The columns of `PendingRow`, over `p` of the page's deliveries. */
export function pendingColumns(sql: Sql, payloadBytes: number) {
  return sql`
    p.sequence, p.delivery_id as id, p.attempt_count as "attemptCount", p.single_attempt_to is not null as "hasSingleAttempt", p.event,
    p.ordering_key as "orderingKey", p.replay_of as "replayOf", p.event_external_id as "eventExternalId", p.bytes,
    case when p.bytes <= ${payloadBytes} then p.data end as data
  `;
}

/** SQL: the bytes that the payload `p.data` adds to a page. */
export function bytesInMemory(sql: Sql, payloadBytes: number) {
  return sql`case when octet_length(p.data) <= ${payloadBytes} then octet_length(p.data) else 0 end`;
}

/** Null without a delivery, or if it did not fit. */
export function pendingOf(row: PendingRow & { accountId: AccountId }): PendingDelivery | null {
  const {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    bytes,
    data,
    replayOf,
    eventExternalId,
    attemptCount,
    hasSingleAttempt,
  } = row;
  if (id === null || sequence === null || bytes === null) return null;
  return {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    data: data ?? { bytes },
    replayOf,
    eventExternalId,
    attemptCount: attemptCount ?? 0,
    hasSingleAttempt: hasSingleAttempt ?? false,
  };
}
