import { badRequest } from "../../api/errors";
import { text } from "../../api/openapi/schema";

/** Matches printable ASCII that is valid in a header, because `webhook-id` begins with it. */
const EVENT_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export const eventId = text({
  minLength: 1,
  maxLength: 255,
  pattern: EVENT_ID.source,
  description:
    "Your own id for the event: 1 to 255 printable ASCII characters without blanks at the ends. For 24 hours, another request " +
    "with this `event_id` gets the answer of the first, or a 409 if its event is different; an `Idempotency-Key` is then " +
    "ignored. Receivers get `<event_id>:<endpoint id>` as `webhook-id`.",
});

/** Checks an `event_id`. Returns null if there is none. Throws 400. */
export function readEventId(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && EVENT_ID.test(value)) return value;
  throw badRequest("event_id must be 1 to 255 printable ASCII characters without blanks at the ends");
}
