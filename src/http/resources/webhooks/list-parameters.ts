import { Type } from "@sinclair/typebox";
import { DELIVERY_STATUSES } from "../../../domain/delivery-status";
import { EVENT_MAX_LENGTH } from "../../../domain/names";
import { PLAIN_PATTERN } from "../../../runtime/text/plain-text";
import { LIMIT_PARAMETER } from "../../lists/page-limit";
import { text, timestamp, words } from "../../openapi/schema";
import { ATTEMPT_ERRORS } from "./search-query";

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
  "data.<field>": payloadParameter,
};

/** Adds to the description the form of the list that takes the parameter. */
function of<T extends { description?: string }>(form: "Pages" | "Cursors" | "Both forms", parameter: T): T {
  const { description = "" } = parameter;
  return {
    ...parameter,
    description: `${form}: ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
  };
}

/** The parameters of the list of deliveries, in both forms. */
export const LIST_PARAMETERS = {
  page: Type.Integer({ minimum: 1, description: "Pages: the page's number, from 1." }),
  per_page: { ...LIMIT_PARAMETER, description: `Pages: ${LIMIT_PARAMETER.description}` },
  event: eventParameter("Pages: only deliveries of this event type."),
  status: of("Both forms", DELIVERY_FILTERS.status),
  limit: { ...LIMIT_PARAMETER, description: `Cursors: ${LIMIT_PARAMETER.description}` },
  cursor: Type.String({ minLength: 1, description: "Cursors: the `cursor` of the previous answer." }),
  iterator: Type.String({
    minLength: 1,
    description: "Cursors: `start`, `now`, or the `iterator` of the previous answer.",
  }),
  event_type: of("Cursors", DELIVERY_FILTERS.event_type),
  endpoint_id: of("Cursors", DELIVERY_FILTERS.endpoint_id),
  after: of("Cursors", DELIVERY_FILTERS.after),
  before: of("Cursors", DELIVERY_FILTERS.before),
  response_status: of("Cursors", DELIVERY_FILTERS.response_status),
  error: of("Cursors", DELIVERY_FILTERS.error),
  "data.<field>": of("Cursors", DELIVERY_FILTERS["data.<field>"]),
};

export function eventParameter(description: string) {
  return text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, description });
}
