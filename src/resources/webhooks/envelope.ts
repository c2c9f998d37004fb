import { Type } from "@sinclair/typebox";
import { named, nullable, timestamp } from "../../api/openapi/schema";
import { UNTYPED } from "../../attempt/cloud-event";

/** The body of a request to an endpoint with the format `envelope`. */
export const EnvelopeModel = named(
  "Envelope",
  Type.Object({
    id: Type.String({ description: "As `webhook-id`." }),
    type: nullable(Type.String({ description: "The event; null without one." })),
    timestamp: timestamp("When the event was accepted; of a resend, the first delivery."),
    data: Type.Unknown({ description: "The payload." }),
  }),
);

/** An item of the body of a request to an endpoint with a `batch_size` above 1. */
export const BatchedEnvelopeModel = named(
  "BatchedEnvelope",
  Type.Object({
    id: Type.String({
      description: "As the `webhook-id` of a delivery that is sent alone: repeats have the same.",
    }),
    type: nullable(Type.String({ description: "The event; null without one." })),
    timestamp: timestamp("When the event was accepted; of a resend, the first delivery."),
    sequence: Type.Integer({ description: "The delivery's number at its endpoint." }),
    ordering_key: nullable(Type.String()),
    data: Type.Unknown({ description: "The payload." }),
  }),
);

/** The body of a request to an endpoint with the format `cloudevents`. */
export const CloudEventModel = named(
  "CloudEvent",
  Type.Object({
    id: Type.String({ description: "As `webhook-id`." }),
    source: Type.String({ description: "The account: `urn:hermod:` and its id." }),
    specversion: Type.Literal("1.0"),
    type: Type.String({ description: `The event; \`${UNTYPED}\` without one.` }),
    time: timestamp("When the event was accepted; of a resend, the first delivery."),
    datacontenttype: Type.String({ description: "The endpoint's `content_type`." }),
    data: Type.Unknown({ description: "The payload." }),
  }),
);
