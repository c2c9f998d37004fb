import { eventFlaw } from "../event-types/event-name";

/** Which events an endpoint gets: `*`, `<resource>.*`, or one event type. Checked, so that it can be trusted. */
declare const checked: unique symbol;
export type EventFilter = string & { readonly [checked]: true };

/** The filter that everything matches, also a webhook without an event. */
export const ALL_EVENTS = "*" as EventFilter;

/** The event type of a test that was asked for: it goes to an endpoint whatever its filter is. */
export const TEST_EVENT = "hermod.test";

/** The filter that a text stands for, or what keeps it from being one, to go after its name. */
export function parseEventFilter(text: string): { filter: EventFilter } | { flaw: string } {
  const flaw = eventFlaw(text) ?? wildcardFlaw(text);
  return flaw === null ? { filter: text as EventFilter } : { flaw };
}

function wildcardFlaw(text: string): string | null {
  if (text === "*") return null;
  const resource = text.endsWith(".*") ? text.slice(0, -2) : text;
  if (resource === "") return "must name a resource before .*";
  return resource.includes("*") ? "may have a * only alone or as the ending .*" : null;
}

/** Whether an event goes to an endpoint with this filter. No event (null) matches only `*`. */
export function matches(filter: EventFilter, event: string | null): boolean {
  if (filter === ALL_EVENTS || event === TEST_EVENT) return true;
  if (event === null) return false;
  return filter.endsWith(".*") ? event.startsWith(filter.slice(0, -1)) : event === filter;
}

/** The same in SQL, never null, over an endpoint `e` and whatever has an event as `i`. */
export const filterMatchesSql =
  `((e.event_filter = '*' or e.event_filter = i.event or i.event = '${TEST_EVENT}' ` +
  "or (right(e.event_filter, 2) = '.*' and starts_with(i.event, left(e.event_filter, -1)))) is true)";
