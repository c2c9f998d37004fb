import { type EventFilter, parseEventFilter } from "../../src/domain/event-filter";

/** Parses the text of a filter. */
export function filterOf(text: string): EventFilter {
  const parsed = parseEventFilter(text);
  if ("problem" in parsed) throw new Error(`${text} ${parsed.problem}`);
  return parsed.filter;
}
