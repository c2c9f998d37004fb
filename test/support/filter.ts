import { type EventFilter, parseEventFilter } from "../../src/domain/event-filter";

/** The filter that a text means. */
export function filterOf(text: string): EventFilter {
  const parsed = parseEventFilter(text);
  if ("problem" in parsed) throw new Error(`${text} ${parsed.problem}`);
  return parsed.filter;
}
