import { Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { pageLimit } from "../../api/lists/page-limit";
import { PAYLOAD_PREFIX, Query } from "../../api/lists/query";
import { text, timestamp } from "../../api/openapi/schema";
import { EVENT_MAX_LENGTH, eventProblem } from "../../domain/names";
import type { EventQuery } from "../../events/event";
import { PLAIN_PATTERN } from "../../runtime/text/plain-text";
import { readPayloadFields } from "../webhooks/search-query";
import { eventId, readEventId } from "./event-id";

/** The filters of lists of events. */
export const EVENT_FILTERS = {
  event_type: text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, description: "Only events of this type." }),
  event_id: eventId,
  after: timestamp("Only events created at or after this time."),
  before: timestamp("Only events created before this time."),
  "data.<field>": Type.String({
    minLength: 1,
    pattern: PLAIN_PATTERN,
    description: "Only events with this value in this top-level field of their payload.",
  }),
};

const PARAMETERS = ["limit", "cursor", "event_type", "event_id", "after", "before"] as const;

/** Reads the query of a list of events. Throws 400. */
export function readEventQuery(url: string): {
  limit: number;
  cursor: string | undefined;
  filters: EventQuery;
} {
  const query = new Query(url, PARAMETERS, PAYLOAD_PREFIX);
  const event = query.text("event_type");
  const problem = event === undefined ? null : eventProblem(event);
  if (problem) throw badRequest(`event_type ${problem}`);
  const { after, before } = query.range();
  const filters = {
    event,
    externalId: readEventId(query.text("event_id")) ?? undefined,
    payload: readPayloadFields(query),
    createdFrom: after,
    createdBefore: before,
  };
  return { limit: pageLimit(query.count("limit")), cursor: query.text("cursor"), filters };
}
