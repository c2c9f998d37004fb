import { nameProblem } from "../runtime/text/plain-text";

/** The longest event type, in characters. */
export const EVENT_MAX_LENGTH = 256;

/** Returns the problem of an event type, to follow the property's name; null if there is none. */
export function eventProblem(event: string): string | null {
  return nameProblem(event, EVENT_MAX_LENGTH);
}

/** The longest ordering key, in characters. */
export const ORDERING_KEY_MAX_LENGTH = 256;

/** Returns the problem of an ordering key, to follow the property's name; null if there is none. */
export function orderingKeyProblem(key: string): string | null {
  return nameProblem(key, ORDERING_KEY_MAX_LENGTH);
}
