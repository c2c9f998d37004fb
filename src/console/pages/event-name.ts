import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";

/** Returns the event type of a delivery for people. A customer reads what a test is. */
export function eventName(event: string | null): string {
  const t = partTexts.value;
  return event === null ? t.noName : (t.eventNames[event] ?? visible(event));
}
