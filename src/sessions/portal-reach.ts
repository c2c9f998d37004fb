import { type EventFilter, formatEventFilter, isWithin, matches } from "../domain/event-filter";
import { isSameOrigin } from "../domain/origin";
import type { Capability, Portal } from "../domain/portal";

/**
 * Decides which payloads a portal session can come by. Without the capability `view_payloads` it comes by none: not by reading, and
 * not by a receiver of its own. A link's `event_types` bound what it comes by otherwise.
 */
type PortalReach = Pick<Portal, "capabilities" | "eventTypes">;

/** The settings of an endpoint that decide who gets which payloads. */
type PayloadTarget = Readonly<{ url: string | null; eventFilter: EventFilter }>;
type TargetChange = { [K in keyof PayloadTarget]?: PayloadTarget[K] | undefined };

const NEEDED: Capability = "view_payloads";
/** The end of a refusal, which names what the link lacks. */
export const LACKS_PAYLOADS = `needs a portal session with the capability ${NEEDED}`;

export function seesPayloads({ capabilities }: PortalReach): boolean {
  return capabilities.includes(NEEDED);
}

/** True if the session may see, or send again to where it may be seen, payloads of this event type. */
export function isInReach({ eventTypes }: PortalReach, event: string | null): boolean {
  return eventTypes === null || matches(eventTypes, event);
}

/** Returns the reason for which a session may not create an endpoint with this filter; null if it may. */
export function refusalOfCreation(reach: PortalReach, eventFilter: EventFilter): string | null {
  if (!seesPayloads(reach)) return `Creating an endpoint ${LACKS_PAYLOADS}`;
  return refusalOfFilter(eventFilter, reach.eventTypes);
}

/**
 * Returns the reason for which a session may not create a receiver's key; null if it may. The key outlives the session, and reads
 * what the endpoint got earlier or gets later: a link with `event_types` could not bound it.
 */
export function refusalOfReceiverKey(reach: PortalReach): string | null {
  if (!seesPayloads(reach)) return `Creating a receiver key ${LACKS_PAYLOADS}`;
  return reach.eventTypes === null ? null : "A portal session with event_types can't create receiver keys";
}

/** Returns the reason for which a session may not change an endpoint so; null if it may. */
export function refusalOfChange(
  reach: PortalReach,
  before: PayloadTarget,
  { url, eventFilter }: TargetChange,
): string | null {
  const moves = url !== undefined && !isSameOrigin(before.url, url);
  if (moves && !seesPayloads(reach)) return `Another scheme, host or port in url ${LACKS_PAYLOADS}`;
  const most = reach.eventTypes ?? (seesPayloads(reach) ? null : before.eventFilter);
  // Waiting deliveries follow the URL, so the former filter counts as well.
  return (
    (eventFilter === undefined ? null : refusalOfFilter(eventFilter, most)) ??
    (moves && refusalOfFilter(before.eventFilter, most) !== null
      ? `Another scheme, host or port in url is refused while the endpoint gets event types beyond the link's`
      : null)
  );
}

function refusalOfFilter(filter: EventFilter, most: EventFilter | null): string | null {
  if (most === null || isWithin(filter, most)) return null;
  return `The filter must stay within ${formatEventFilter(most)}: beyond it, event types need a portal link with more event_types`;
}
