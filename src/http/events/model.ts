import { Type } from "@sinclair/typebox";
import { timeOf, toText } from "../../domain/ids";
import type { AcceptedEvent } from "../../intake/events/fan-out";
import { formatInstant } from "../lists/instant";
import { named, nullable, ref, request, timestamp } from "../openapi/schema";
import { acceptedJson } from "../webhooks/accepted";
import { ACCEPTED_EXAMPLE, SendWebhook } from "../webhooks/model";

export const PublishEvent = request("NewEvent", Type.Pick(SendWebhook, ["event", "ordering_key", "data"]));

const identity = {
  id: Type.String({ description: "Begins with `evt_`." }),
  event: nullable(Type.String()),
  ordering_key: Type.Optional(Type.String({ description: "Present only if the sender gave one." })),
  created_at: timestamp(),
};

export const PublishedModel = named(
  "PublishedEvent",
  Type.Object({
    ...identity,
    deliveries: Type.Array(ref("AcceptedDelivery"), {
      description: "One for each endpoint whose filter the event matches, the oldest endpoint first.",
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

/** Writes the JSON text of an accepted event. By hand, since it may have 10,000 deliveries. */
export function publishedJson(published: AcceptedEvent): string {
  const { id, event, orderingKey, deliveries, held, skipped } = published;
  const json = JSON.stringify({
    id: toText("evt", id),
    event,
    ...(orderingKey !== null && { ordering_key: orderingKey }),
    created_at: formatInstant(timeOf(id)),
    held: held.map((delivery) => toText("wh", delivery)),
    skipped: skipped.map((endpoint) => toText("ep", endpoint)),
  });
  return `${json.slice(0, -1)},"deliveries":[${deliveries.map(acceptedJson).join(",")}]}`;
}

export const PUBLISHED_EXAMPLE = {
  id: "evt_01k9x3w7r2e5bt8m1n4p6r8000",
  event: ACCEPTED_EXAMPLE.event,
  ordering_key: ACCEPTED_EXAMPLE.ordering_key,
  created_at: ACCEPTED_EXAMPLE.created_at,
  deliveries: [ACCEPTED_EXAMPLE],
  held: [],
  skipped: [],
};
