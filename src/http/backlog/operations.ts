import { Type } from "@sinclair/typebox";
import { MOST_PENDING } from "../../deliveries/backlog";
import { ENDPOINT_EXAMPLE } from "../endpoints/model";
import { CURSOR_PARAMETERS, cursorPageOf } from "../lists/cursor-model";
import { operation } from "../openapi/operation";
import { named, ref, timestamp, written } from "../openapi/schema";
import { LISTED_EXAMPLE, orderingKey } from "../webhooks/model";

export const BacklogModel = named(
  "Backlog",
  Type.Object({
    endpoint_id: Type.String(),
    pending: Type.Integer({
      description: `Its pending deliveries. Exact below ${written(MOST_PENDING)}, which means that many or more.`,
    }),
    since: timestamp("When the first of them was accepted."),
    head: ref("ListedDelivery"),
  }),
);

export const BacklogPageModel = named("BacklogPage", cursorPageOf("Backlog"));
export const QueuePage = named("QueuePage", cursorPageOf("ListedDelivery"));

export const BACKLOG_EXAMPLE = {
  endpoint_id: ENDPOINT_EXAMPLE.id,
  pending: 1_000,
  since: LISTED_EXAMPLE.created_at,
  head: LISTED_EXAMPLE,
};

export const backlog = operation({
  id: "getBacklog",
  permission: "webhooks:read",
  tag: "Webhooks",
  summary: "List endpoints with pending deliveries",
  description:
    "Newest endpoint first, each with the first delivery of its order and the reason why that delivery waits. Reads only pending " +
    "deliveries, so it is fast however long the history is. A page may have fewer endpoints than its limit, even none, although more " +
    "follow, since it ends after 5,000 endpoints. The last page has a null `cursor`.",
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("BacklogPage"),
    example: { data: [BACKLOG_EXAMPLE], cursor: null },
  },
});

export const queue = operation({
  id: "getEndpointQueue",
  permission: "webhooks:read",
  tag: "Endpoints",
  summary: "List an endpoint's pending deliveries, in order",
  path: { id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" } },
  query: Type.Object({
    ...CURSOR_PARAMETERS,
    ordering_key: { ...orderingKey, description: "Only deliveries with this ordering key." },
  }),
  success: {
    status: 200,
    description: "A page, first in order first.",
    schema: ref("QueuePage"),
    example: { data: [LISTED_EXAMPLE], cursor: null },
  },
  errors: [404],
});
