import { CONTROL_CHARACTERS, shownName } from "../runtime/text/plain-text";
import { EVENT_MAX_LENGTH, eventProblem } from "./names";
import { isTest } from "./test-event";

/** The checked patterns of an endpoint, each `*`, `<resource>.*` or one event type. */
declare const checked: unique symbol;
export type EventFilter = readonly string[] & { readonly [checked]: true };

/** The filter that matches everything, also a webhook without an event. */
export const ALL_EVENTS = ["*"] as readonly string[] as EventFilter;

/** Most patterns of a filter. */
export const MAX_PATTERNS = 100;
/** Most dot-separated parts of the resource before `.*`, so that an event with many dots has few patterns. */
export const MAX_RESOURCE_PARTS = 16;
/** Characters of the longest filter written as one text. */
export const FILTER_MAX_LENGTH = MAX_PATTERNS * (EVENT_MAX_LENGTH + 1) - 1;

/** Characters that people write for alternatives, which patterns don't have. */
const MISTAKEN = "|()\\[\\]{}";
const MISTAKEN_CHARACTER = new RegExp(`[${MISTAKEN}]`);
const EXAMPLE = "user.created,user.deleted";

/** The form of a filter with one or more patterns, for the API document. */
export const PATTERN = `^${patternOf(`[^*${MISTAKEN}${CONTROL_CHARACTERS}]`)}$`;
const PART = ` *${patternOf(`[^*,${MISTAKEN}${CONTROL_CHARACTERS}]`, `[^ *,${MISTAKEN}${CONTROL_CHARACTERS}]`)} *`;
export const PATTERNS = `^${PART}(,${PART})*$`;

function patternOf(character: string, first = character): string {
  return `(\\*|${first}${character}*(\\.\\*)?)`;
}

/** A filter, or its problem, which follows the name of its field. */
export type ParsedFilter = { filter: EventFilter } | { problem: string };

/** Parses patterns separated by commas. Ignores blanks around the commas. */
export function parseEventFilter(text: string): ParsedFilter {
  return parseEventTypes(text.split(",").map((part) => part.replaceAll(/^ +|(?<! ) +$/g, "")));
}

/** Parses a list of patterns. */
export function parseEventTypes(patterns: readonly string[]): ParsedFilter {
  if (patterns.length > MAX_PATTERNS) return { problem: `must have at most ${MAX_PATTERNS} patterns` };
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== null) return { problem };
  }
  return { filter: patterns as EventFilter };
}

/** Writes a filter as one text, which `parseEventFilter` can read unless an event type has a comma. */
export function formatEventFilter(filter: EventFilter): string {
  return filter.join(",");
}

function patternProblem(pattern: string): string | null {
  if (pattern === "") return `has an empty part; write event types with one comma between them: ${EXAMPLE}`;
  const shown = shownName(pattern);
  const problem = eventProblem(pattern);
  if (problem !== null) return `has ${shown}, which ${problem}`;
  const mistaken = MISTAKEN_CHARACTER.exec(pattern);
  if (mistaken)
    return `has ${mistaken[0]} in ${shown}; write event types out, with commas between them: ${EXAMPLE}`;
  return wildcardProblem(pattern, shown);
}

function wildcardProblem(pattern: string, shown: string): string | null {
  if (pattern === "*") return null;
  const resource = pattern.endsWith(".*") ? pattern.slice(0, -2) : pattern;
  if (resource === "") return "has .* without a resource before it; write user.*, or * for all events";
  if (!resource.includes("*")) return resource === pattern ? null : resourceProblem(resource, shown);
  return `has a * within ${shown}; write it behind the resource's last dot, as in user.*, or alone for all events`;
}

function resourceProblem(resource: string, shown: string): string | null {
  if (resource.split(".").length <= MAX_RESOURCE_PARTS) return null;
  return `has ${shown}, whose resource has more than ${MAX_RESOURCE_PARTS} parts with dots between them`;
}

/** True if an event goes to an endpoint with this filter. No event (null) matches only `*`. */
export function matches(filter: EventFilter, event: string | null): boolean {
  return isTest(event) || filter.some((pattern) => matchesPattern(pattern, event));
}

/** True if a filter matches nothing that `most` does not match. */
export function isWithin(filter: EventFilter, most: EventFilter): boolean {
  return filter.every((pattern) => most.some((wider) => covers(wider, pattern)));
}

function covers(wider: string, pattern: string): boolean {
  if (wider === "*" || wider === pattern) return true;
  return wider.endsWith(".*") && pattern.startsWith(wider.slice(0, -1));
}

function matchesPattern(pattern: string, event: string | null): boolean {
  if (pattern === "*") return true;
  if (event === null) return false;
  return pattern.endsWith(".*") ? event.startsWith(pattern.slice(0, -1)) : event === pattern;
}
