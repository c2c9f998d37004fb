import { Type } from "@sinclair/typebox";
import { named, ref, request } from "../openapi/schema";
import { SendWebhook } from "../webhooks/model";

export const PublishEvent = request("NewEvent", Type.Pick(SendWebhook, ["event", "ordering_key", "data"]));

export const PublishedModel = named(
  "PublishedEvent",
  Type.Object({
    deliveries: Type.Array(ref("AcceptedDelivery"), {
      description: "One for each endpoint whose filter the event matches, the oldest endpoint first.",
    }),
  }),
);
