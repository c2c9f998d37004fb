import { flawOf, lengthOf } from "../runtime/plain-text";

/** The longest event type, in characters. */
export const EVENT_MAX_LENGTH = 256;

/** What is wrong with an event type, to go after the name of its property; null is nothing. */
export function eventFlaw(event: string): string | null {
  if (event === "") return "must not be empty";
  if (event.length > EVENT_MAX_LENGTH && lengthOf(event) > EVENT_MAX_LENGTH) {
    return `must have at most ${EVENT_MAX_LENGTH} characters`;
  }
  return flawOf(event);
}
