import { Type } from "@sinclair/typebox";
import { batchResults } from "../../api/batch-model";
import { named } from "../../api/openapi/schema";
import { toText } from "../../domain/ids";
import type { AcceptedEvent } from "../../intake/events/fan-out";
import { ACCEPTED_EXAMPLE, AcceptedModel, acceptedJson } from "../webhooks/accepted";
import { IDENTITY_EXAMPLE, identity, identityOf } from "./event";

export const PublishedModel = named(
  "PublishedEvent",
  Type.Object({
    ...identity,
    deliveries: Type.Array(AcceptedModel, {
      description: "A delivery for each endpoint whose filter the event matches, oldest endpoint first.",
    }),
    held: Type.Array(Type.String(), {
      description: "The ids of the deliveries that wait because their endpoint is inactive.",
    }),
    skipped: Type.Array(Type.String(), {
      description:
        "The ids of the endpoints whose filter the event matches, and that get no delivery because they are inactive and skip " +
        "events.",
    }),
  }),
);

export const EventResults = batchResults("EventResult", "event", PublishedModel);

/** Writes the JSON text of an accepted event by hand, since it may have 10,000 deliveries. */
export function publishedJson(published: AcceptedEvent): string {
  const { deliveries, held, skipped } = published;
  const json = JSON.stringify({
    ...identityOf(published),
    held: held.map((delivery) => toText("wh", delivery)),
    skipped: skipped.map((endpoint) => toText("ep", endpoint)),
  });
  return `${json.slice(0, -1)},"deliveries":[${deliveries.map(acceptedJson).join(",")}]}`;
}

export const PUBLISHED_EXAMPLE = {
  ...IDENTITY_EXAMPLE,
  deliveries: [ACCEPTED_EXAMPLE],
  held: [],
  skipped: [],
};
