import { eq, isNotNull, or } from "drizzle-orm";
import { eventTypes } from "../db/schema";
import { lengthOf, linesProblem, problemIn } from "../runtime/text/plain-text";

/** An account's description of an event type, for people. */
export type Description = {
  description: string | null;
  /** The group that lists show it in; null for none. */
  group: string | null;
  /** A payload as JSON text, byte for byte as it was given. */
  example: string | null;
  deprecated: boolean;
};

/** SQL: true for described event types. */
export const IS_DESCRIBED = or(
  isNotNull(eventTypes.description),
  isNotNull(eventTypes.group),
  isNotNull(eventTypes.example),
  eq(eventTypes.deprecated, true),
);

export const DESCRIPTION_LIMITS = { description: 1_024, group: 128, exampleBytes: 16_384 };

/** Returns the field of a description that is too long, with its limit; null if none is. */
export function descriptionProblem({ description, group, example }: Partial<Description>): string | null {
  const limits = DESCRIPTION_LIMITS;
  if (description && isLonger(description, limits.description))
    return `description must have at most ${limits.description} characters`;
  if (typeof group === "string" && (group === "" || isLonger(group, limits.group)))
    return `group must have 1 to ${limits.group} characters`;
  if (example && Buffer.byteLength(example) > limits.exampleBytes)
    return `example must have at most ${limits.exampleBytes} bytes`;
  const problem = linesProblem(description ?? "");
  return problem ? `description ${problem}` : problemIn({ group }, "");
}

/** Counts the characters of a text only if it may be short enough: a character has at most two units. */
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || lengthOf(text) > most;
}
