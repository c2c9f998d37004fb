import { Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { readEndpointId } from "../../api/ids";
import { PAYLOAD_PREFIX, Query } from "../../api/lists/query";
import { text, timestamp, words } from "../../api/openapi/schema";
import type { CreatedRange, DeliveryFilters } from "../../deliveries/delivery";
import type { DeliverySearch } from "../../deliveries/lists/search";
import { DELIVERY_STATUSES } from "../../domain/delivery-status";
import { EVENT_MAX_LENGTH, eventProblem, ORDERING_KEY_MAX_LENGTH } from "../../domain/names";
import { PLAIN_PATTERN } from "../../runtime/text/plain-text";
import { ATTEMPT_ERRORS, readSearch, SEARCH } from "./search-query";

export const payloadParameter = {
  ...Type.String({ minLength: 1, pattern: PLAIN_PATTERN }),
  description: "Only deliveries with this value in this top-level field of their payload.",
};

/** The filters of the forms with cursors. */
export const DELIVERY_FILTERS = {
  status: words("DeliveryStatus", DELIVERY_STATUSES, { description: "Only deliveries in this status." }),
  event_type: eventParameter("Only deliveries of this event type."),
  endpoint_id: Type.String({ minLength: 1, description: "Only deliveries to this endpoint." }),
  after: timestamp("Only deliveries created at or after this time."),
  before: timestamp("Only deliveries created before this time."),
  response_status: Type.String({
    pattern: "^(0|[1-9][0-9][0-9]|[1-5]xx)$",
    description:
      "Only deliveries whose last attempt got this status: a number such as `503`, a class such as `5xx`, " +
      "or `0` for no HTTP response.",
  }),
  error: words("AttemptError", ATTEMPT_ERRORS, {
    description: "Only deliveries with an attempt that failed with this error.",
  }),
  ordering_key: text({
    minLength: 1,
    maxLength: ORDERING_KEY_MAX_LENGTH,
    description: "Only deliveries with this ordering key.",
  }),
  sequence: Type.Integer({ minimum: 1, description: "Only deliveries with this number at their endpoint." }),
  "data.<field>": payloadParameter,
};

export function eventParameter(description: string) {
  return text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, description });
}

/** Filters and time range of the cursor and iterator forms. */
export type Narrowing = { filters: DeliverySearch; created: CreatedRange };

/** The filters of the cursor form. */
const FILTERS = ["event_type", "endpoint_id", "status", "after", "before", ...SEARCH] as const;

/** Reads the filters of a summary, or of a list of all accounts. Throws 400. */
export function readFilterQuery(url: string): Narrowing {
  return readNarrowing(new Query(url, FILTERS, PAYLOAD_PREFIX));
}

export function readNarrowing(query: Query<(typeof FILTERS)[number]>): Narrowing {
  const filters = { ...readFilters(query), ...readSearch(query) };
  const { after, before } = query.range();
  return { filters, created: { createdFrom: after, createdBefore: before } };
}

export function readFilters(query: Query<"status" | "event_type" | "endpoint_id">): DeliveryFilters {
  const endpointId = query.text("endpoint_id");
  return {
    status: query.oneOf("status", DELIVERY_STATUSES),
    event: checkedEvent("event_type", query.text("event_type")),
    endpointId: endpointId === undefined ? undefined : readEndpointId(endpointId),
  };
}

export function checkedEvent(name: "event" | "event_type", event: string | undefined): string | undefined {
  const problem = event === undefined ? null : eventProblem(event);
  if (problem) throw badRequest(`${name} ${problem}`);
  return event;
}
