import { Type } from "@sinclair/typebox";
import { named, nullable, timestamp } from "../../api/openapi/schema";

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
