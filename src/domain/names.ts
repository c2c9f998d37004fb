import { nameFlaw } from "../runtime/text/plain-text";

/** The longest event type, in characters. */
export const EVENT_MAX_LENGTH = 256;

/** Says what is wrong with an event type, to follow the property's name; null if nothing is. */
export function eventFlaw(event: string): string | null {
  return nameFlaw(event, EVENT_MAX_LENGTH);
}

/** The longest ordering key, in characters. */
export const ORDERING_KEY_MAX_LENGTH = 256;

/** Says what is wrong with an ordering key, to follow the property's name; null if nothing is. */
export function orderingKeyFlaw(key: string): string | null {
  return nameFlaw(key, ORDERING_KEY_MAX_LENGTH);
}
