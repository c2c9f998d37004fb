import { nameFlaw } from "../runtime/plain-text";

/** The longest event type, in characters. */
export const EVENT_MAX_LENGTH = 256;

/** Says what is wrong with an event type, to follow the property's name; null if nothing is. */
export function eventFlaw(event: string): string | null {
  return nameFlaw(event, EVENT_MAX_LENGTH);
}
