import type { CreatedRange } from "../deliveries/delivery";
import type { PayloadField } from "../deliveries/lists/search";
import type { AccountId, EndpointId, EventId } from "../domain/ids";

/** An accepted event as lists show it. */
export type EventSummary = Readonly<{
  id: EventId;
  event: string | null;
  orderingKey: string | null;
  /** The sender's own id of the event; null if it gave none. */
  externalId: string | null;
  /** Number of deliveries that were accepted with the event. */
  deliveryCount: number;
}>;

/** An event of any account. */
export type AccountEvent = EventSummary & Readonly<{ accountId: AccountId }>;

/** Filters of a list; absent ones filter nothing. */
export type EventQuery = CreatedRange &
  Readonly<{
    event?: string | undefined;
    externalId?: string | undefined;
    /** The payload must have all of these fields. */
    payload?: readonly PayloadField[] | undefined;
  }>;

export const MISSED_REASONS = [
  "event_filter",
  "filter",
  "filter_changed",
  "inactive",
  "created_later",
] as const;
/**
 * The reason for which an endpoint has no delivery of an event: its filter of types excludes the event; its condition on
 * payloads excluded it; its filter excluded it then and matches it now; it was inactive and skips events; it was created after
 * the event.
 */
export type MissedReason = (typeof MISSED_REASONS)[number];

export type Missed = Readonly<{
  endpointId: EndpointId;
  reason: MissedReason;
  /** The endpoint's condition on payloads as it is now; null unless it is the reason. */
  filter: string | null;
  metadata: Readonly<Record<string, string>>;
}>;

/** An event with its payload. */
export type EventDetail = EventSummary &
  Readonly<{
    /** The payload's JSON text, byte for byte as it was sent; null once it is erased. */
    data: string | null;
    /** Unix milliseconds; null unless the payload is erased. */
    erasedAt: number | null;
  }>;
