import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { named, nullable, timestamp, variants, word, words, written } from "../api/openapi/schema";
import { MOST_COUNTED } from "../deliveries/waiting";
import { DISABLED_REASONS } from "../domain/health";
import type { FeedPayload } from "../feeds/feed-event";
import { MOST_WAITING } from "../feeds/outbox";
import { MAX_COUNTED } from "../retention/expiry-warning";
import { DISABLED_REASON_WORDS } from "./endpoints/health";

/** The fields of the data of every feed event. */
const context = {
  account_id: Type.String({ description: "The account that it is about; begins with `acc_`." }),
  account_name: Type.String(),
  console_url: nullable(
    Type.String({ description: "The page of the console about it; null without HERMOD_PUBLIC_URL." }),
  ),
};

/** Builds the named models of a feed event and of its data. */
function feedEvent<const T extends FeedPayload["type"]>(
  type: T,
  name: string,
  description: string,
  data: TProperties,
) {
  const fields = {
    type: word(type),
    timestamp: timestamp("When it happened."),
    data: named(`${name}Data`, Type.Object({ ...context, ...data })),
  };
  return named(`${name}Event`, Type.Object(fields, { description }));
}

/** The fields about the endpoint of a report, as of the time at which it is sent. */
const ofEndpoint = {
  url: Type.String(),
  description: nullable(Type.String({ description: "The endpoint's description." })),
  waiting: Type.Integer({
    description: "The endpoint's pending deliveries; that or more unless `waiting_complete`.",
  }),
  waiting_complete: Type.Boolean({
    description: `False if ${written(MOST_WAITING)} deliveries were counted, so that there may be more.`,
  }),
};

const endpoint = {
  id: Type.String({ description: "The endpoint's id; begins with `ep_`." }),
  ...ofEndpoint,
  failing_since: timestamp("When the endpoint began to fail: every attempt since then has failed."),
};

const EVENTS = {
  "delivery.failed": feedEvent("delivery.failed", "DeliveryFailed", "A delivery failed for good.", {
    id: Type.String({ description: "The delivery's id; begins with `wh_`." }),
    endpoint_id: Type.String(),
    ...ofEndpoint,
    event: nullable(Type.String()),
    attempt_count: Type.Integer(),
    response_status: nullable(
      Type.Integer({ description: "0 if there was no HTTP response, null if there was no attempt." }),
    ),
    error: nullable(Type.String({ description: "The error of the last attempt, like `error_detail`." })),
    error_detail: nullable(Type.String()),
    failure_reason: nullable(
      word("expired", { description: "It was pending for longer than HERMOD_RETENTION." }),
    ),
    created_at: timestamp(),
  }),
  "endpoint.failing": feedEvent(
    "endpoint.failing",
    "EndpointFailing",
    "Every attempt at an endpoint has failed for a quarter of HERMOD_DISABLE_AFTER. If this continues, Hermod sets it inactive.",
    endpoint,
  ),
  "endpoint.blocked": feedEvent(
    "endpoint.blocked",
    "EndpointBlocked",
    "A delivery has been retried for HERMOD_BLOCKED_AFTER, and holds back the deliveries behind it in its order. Sent once for this " +
      "delivery. While it is pending, no other delivery of the endpoint is reported.",
    {
      id: endpoint.id,
      ...ofEndpoint,
      delivery_id: Type.String({ description: "The delivery in front; begins with `wh_`." }),
      ordering_key: nullable(
        Type.String({ description: "The delivery's ordering key; null if it has none." }),
      ),
      since: timestamp("When its first attempt began."),
      reason: nullable(
        Type.String({
          description: "The `error` of its last attempt, or `status` if the receiver answered.",
        }),
      ),
      behind: Type.Integer({
        description: "Deliveries that wait behind it in its order; that or more unless `behind_complete`.",
      }),
      behind_complete: Type.Boolean({
        description: `False if ${written(MOST_COUNTED)} deliveries behind it were examined, so that there may be more.`,
      }),
    },
  ),
  "endpoint.disabled": feedEvent(
    "endpoint.disabled",
    "EndpointDisabled",
    "Hermod set an endpoint inactive.",
    {
      ...endpoint,
      reason: words("DisabledReason", DISABLED_REASONS, { description: DISABLED_REASON_WORDS }),
      delivery_id: nullable(
        Type.String({
          description:
            "For the reason `exhausted`: the delivery that the endpoint stopped at; begins with `wh_`. Otherwise null.",
        }),
      ),
    },
  ),
  "endpoint.recovered": feedEvent(
    "endpoint.recovered",
    "EndpointRecovered",
    "An endpoint works again after it failed for at least a minute.",
    endpoint,
  ),
  "endpoint.expiring": feedEvent(
    "endpoint.expiring",
    "EndpointExpiring",
    "Pending deliveries of an endpoint end as `failed` with the reason `expired` within a day (within a quarter of HERMOD_RETENTION, if " +
      "that is less), because they have waited for that long. Sent at most once in that time for each endpoint.",
    {
      id: endpoint.id,
      ...ofEndpoint,
      delivery_id: Type.String({ description: "The first delivery that expires; begins with `wh_`." }),
      expires_at: timestamp("When it expires."),
      deliveries: Type.Integer({
        description:
          "The number of deliveries that expire in that time; that or more unless `deliveries_complete`.",
      }),
      deliveries_complete: Type.Boolean({
        description: `False if ${written(MAX_COUNTED)} deliveries were counted, so that there may be more.`,
      }),
    },
  ),
  "usage.limit_near": feedEvent(
    "usage.limit_near",
    "UsageLimitNear",
    "The account has used 80 % or 100 % of the month's webhooks. Sent once for each, and again if a larger plan's limit is reached.",
    {
      percent: Type.Integer(),
      used: Type.Integer(),
      limit: Type.Integer(),
      period: Type.String({ description: "The first day of the month, such as `2026-01-01`." }),
    },
  ),
} satisfies Record<FeedPayload["type"], TSchema>;

/** The bodies of requests to endpoints with `feed`. */
export const FeedEventModel = named(
  "FeedEvent",
  variants<TSchema>(
    "type",
    EVENTS,
    "A report of Hermod about its own work, to each endpoint with `feed` that hears of the account and whose filter matches: " +
      "signed, in order and at least once, like any delivery. These are listed and counted in the statistics, but not in " +
      "the month's webhooks. Deliveries and endpoints of the feed itself are never reported on.",
  ),
);

export const FEED_EVENT_EXAMPLE = {
  type: "delivery.failed",
  timestamp: "2026-01-31T12:00:00.000Z",
  data: {
    id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
    endpoint_id: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
    account_id: "acc_01k9x3v5q8e7bt2m4n6p8r0s2t",
    account_name: "Shop 42",
    url: "https://example.com/hooks",
    description: "Orders of the shop",
    waiting: 3,
    waiting_complete: true,
    console_url:
      "https://hooks.example.com/console/deliveries/wh_01k9x3w7r2e5bt8m1n4p6r8s0v?account=acc_01k9x3v5q8e7bt2m4n6p8r0s2t",
    event: "order.created",
    attempt_count: 11,
    response_status: 503,
    error: null,
    error_detail: null,
    failure_reason: null,
    created_at: "2026-01-30T20:00:00.000Z",
  },
} satisfies FeedPayload;
