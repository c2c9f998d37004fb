import type { Sql } from "../../db/pool";
import { unixMs } from "../../db/sql/time";
import type { EarlierSecret } from "../../domain/earlier-secret";
import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import type { StoredHeaders } from "../../domain/stored-headers";
import { type BodyFormat, JSON_TYPE, type Ordering } from "../../domain/tuning";
import { openHeaders, secretNames } from "../../endpoints/request-headers";
import { secretContext } from "../../endpoints/signing-secret";
import type { SecretVault } from "../../vault/vault";
import type { PendingDelivery } from "../delivery";
import { type EndpointView, PLAIN } from "../endpoint";

/** The columns of the endpoint, in every row of its page. */
export type EndpointRow = {
  n: number;
  endpointId: EndpointId;
  accountId: AccountId;
  revision: number;
  lastSequence: number;
  queueRevision: number;
  url: string;
  signingSecret: string;
  earlierSecrets: EarlierSecret[] | null;
  headers: StoredHeaders | null;
  isActive: boolean;
  ordering: Ordering;
  maxInFlight: number;
  failingSince: number | null;
  /** Milliseconds until the endpoint's rest ends; negative if it is over, null if there is none. */
  restsInMs: number | null;
  retryScheduleMs: readonly number[] | null;
  format: BodyFormat;
  contentType: string;
  traceparent: boolean;
  permanentStatuses: readonly number[];
  stopsWhenExhausted: boolean;
  timeoutMs: number | null;
  rateLimit: number | null;
};

/** Opens a sealed secret. Throws if it can't. */
export type OpenSecret = SecretVault["open"];

/** The columns of `EndpointRow` but for `n`, over `e` of endpoints and its `m` of mailboxes. */
export function endpointColumns(sql: Sql) {
  return sql`
    e.id as "endpointId", e.account_id as "accountId", m.revision, m.last_sequence as "lastSequence",
    m.queue_revision as "queueRevision", e.url,
    e.signing_secret as "signingSecret", e.earlier_secrets as "earlierSecrets", e.headers, e.is_active as "isActive", e.ordering::text as ordering, e.max_in_flight as "maxInFlight",
    ${unixMs(sql, "e.failing_since")} as "failingSince",
    (extract(epoch from e.rests_until - now()) * 1000)::float8 as "restsInMs",
    e.retry_schedule_ms as "retryScheduleMs", e.format::text as format, e.content_type as "contentType", e.traceparent,
    to_json(e.permanent_statuses) as "permanentStatuses",
    e.on_exhausted = 'pause' as "stopsWhenExhausted", e.timeout_ms as "timeoutMs", e.rate_limit as "rateLimit"
  `;
}

export function viewOf(row: EndpointRow, openSecret: OpenSecret): EndpointView {
  const { revision, url, failingSince, retryScheduleMs, timeoutMs, rateLimit, ordering } = row;
  const { accountId, endpointId, format, traceparent } = row;
  const open = (sealed: string) => openSecret(sealed, secretContext(accountId, endpointId));
  return {
    revision,
    url,
    failingSince,
    probes: row.restsInMs !== null,
    retryScheduleMs,
    format,
    traceparent,
    permanentStatuses: row.permanentStatuses.length > 0 ? row.permanentStatuses : PLAIN.permanentStatuses,
    stopsWhenExhausted: row.stopsWhenExhausted,
    timeoutMs,
    rateLimit,
    ordering,
    maxInFlight: ordering === "ordered" || row.restsInMs !== null ? 1 : row.maxInFlight,
    secrets: [open(row.signingSecret)],
    expiringSecrets:
      row.earlierSecrets?.map(({ sealed, until }) => ({ secret: open(sealed), until })) ??
      PLAIN.expiringSecrets,
    headers: headersOf(row, openSecret),
    secretHeaders: row.headers === null ? PLAIN.secretHeaders : secretNames(row.headers),
  };
}

/** The endpoint's own headers, and its media type if it is not JSON itself. */
function headersOf(
  { headers, accountId, endpointId, contentType }: EndpointRow,
  openSecret: OpenSecret,
): EndpointView["headers"] {
  const own = openHeaders(headers, openSecret, accountId, endpointId);
  return contentType === JSON_TYPE ? own : { ...own, "content-type": contentType };
}

/** The columns of a delivery in a page. */
export type PendingRow = {
  /** Null if the row has no delivery. Then all other fields are null too. */
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

/** Returns the delivery of a row; null if it has none, or if the delivery did not fit. */
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
