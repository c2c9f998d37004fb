import { type Static, Type } from "@sinclair/typebox";
import type { Endpoint } from "../../endpoints/endpoint";
import { toText } from "../../runtime/ids";
import { formatInstant } from "../instant";
import { nullable, ref, timestamp } from "../openapi/schema";
import { TUNING_EXAMPLE, tuningModel, tuningProperties, viewOfTuning } from "./tuning";

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: "Where deliveries are sent, http or https.",
});
const eventFilter = Type.String({
  default: "*",
  description: "An exact event type, `<resource>.*`, or `*` for all events.",
});
const DESCRIPTION_MAX_LENGTH = 1_024;

export const CreateEndpoint = Type.Object({
  url,
  description: Type.Optional(Type.String({ maxLength: DESCRIPTION_MAX_LENGTH })),
  event_filter: Type.Optional(eventFilter),
  ...tuningProperties,
});

export const UpdateEndpoint = Type.Object({
  url: Type.Optional(url),
  description: Type.Optional(nullable(Type.String({ maxLength: DESCRIPTION_MAX_LENGTH }))),
  event_filter: Type.Optional(eventFilter),
  is_active: Type.Optional(
    Type.Boolean({ description: "While false, what is sent waits as pending, in order." }),
  ),
  ...tuningProperties,
});

export const EndpointModel = Type.Object({
  id: Type.String({ description: "Begins with `ep_`." }),
  url: Type.String(),
  description: nullable(Type.String()),
  event_filter: Type.String(),
  is_active: Type.Boolean(),
  ...tuningModel,
  created_at: timestamp(),
});

export const CreatedEndpointModel = Type.Composite([
  EndpointModel,
  Type.Object({
    signing_secret: Type.String({ description: "Begins with `whsec_`; shown this once." }),
  }),
]);

export const EndpointPage = Type.Object({
  data: Type.Array(ref("Endpoint")),
  cursor: nullable(Type.String({ description: "Gives the next page; null on the last one." })),
});

export const DeletedModel = Type.Object({ deleted: Type.Boolean() });

export type EndpointView = Static<typeof EndpointModel>;

/** An endpoint as clients see it; its secret is not part of it. */
export function viewOfEndpoint(endpoint: Endpoint): EndpointView {
  return {
    id: toText("ep", endpoint.id),
    url: endpoint.url,
    description: endpoint.description,
    event_filter: endpoint.eventFilter,
    is_active: endpoint.isActive,
    ...viewOfTuning(endpoint),
    created_at: formatInstant(endpoint.createdAt),
  };
}

export const ENDPOINT_EXAMPLE = {
  id: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  url: "https://example.com/hooks",
  description: "Orders of the shop",
  event_filter: "order.*",
  is_active: true,
  ...TUNING_EXAMPLE,
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies EndpointView;
