import { Type } from "@sinclair/typebox";
import { MOST_RETRIED } from "../../deliveries/retry";
import { TEST_EVENT } from "../../domain/test-event";
import { MAX_SAMPLE } from "../../event-types/sample";
import { DELETED_ANSWER } from "../deletion";
import { CURSOR_PARAMETERS } from "../lists/cursor-model";
import { type Audit, operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { ACCEPTED_EXAMPLE } from "../resources/webhooks/model";
import { ENDPOINT_CALLBACKS } from "./callbacks";
import { FilterTest } from "./filter-test";
import {
  CreateEndpoint,
  ENDPOINT_EXAMPLE,
  PutEndpoint,
  RetriedModel,
  RotateSecret,
  UpdateEndpoint,
} from "./model";
import { SEARCH_PARAMETERS } from "./search-query";
import { ENDPOINT_STATS_EXAMPLE } from "./stats";
import { TestEvent } from "./test-event";

/** Fields whose values the audit log shows. A URL, a filter, headers and metadata may have secrets. */
const AUDITED = [
  ...["description", "event_filter", "event_types", "is_active", "feed", "external_id", "format"],
  ...["ordering", "max_in_flight", "while_inactive", "on_exhausted"],
  ...["retry_schedule_ms", "timeout_ms", "rate_limit", "permanent_statuses"],
];

const tag = "Endpoints";
const path = {
  id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" },
} as const;

const CREATED = {
  schema: ref("CreatedEndpoint"),
  example: { ...ENDPOINT_EXAMPLE, signing_secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" },
};

/** The fields that a portal session may set. */
const PORTAL_FIELDS = [
  "url",
  "description",
  "event_filter",
  "event_types",
  "is_active",
  "headers",
  "sensitive_headers",
];

export const list = operation({
  id: "listEndpoints",
  permission: "endpoints:read",
  portal: { needs: "view", concerns: "endpoints" },
  tag,
  summary: "List endpoints",
  description:
    "Newest first. With several filters, an endpoint must match all. Without `limit` and `cursor`, the service answers with a JSON " +
    "array of all endpoints that match instead of a page. This description has the page alone, so that generated clients have one type.",
  query: Type.Object({
    ...CURSOR_PARAMETERS,
    // Required in the document alone: a generated client then gets the page, the only form that it has a type for.
    limit: { ...CURSOR_PARAMETERS.limit, required: true },
    ...SEARCH_PARAMETERS,
  }),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("EndpointPage"),
    example: { data: [ENDPOINT_EXAMPLE], cursor: null },
  },
});

export const create = operation({
  audit: { shows: AUDITED },
  id: "createEndpoint",
  permission: "endpoints:write",
  // The new endpoint's receiver gets payloads, hence `also`.
  portal: { needs: "manage_endpoints", also: "view_payloads", concerns: "account", fields: PORTAL_FIELDS },
  tag,
  summary: "Register an endpoint",
  description:
    "The signing secret is returned only in this answer. Hermod creates one unless you give `signing_secret`.",
  callbacks: ENDPOINT_CALLBACKS,
  body: {
    schema: CreateEndpoint,
    isRaw: true,
    example: { url: "https://example.com/hooks", description: "Orders of the shop", event_filter: "order.*" },
  },
  success: {
    status: 201,
    description: "The endpoint and its signing secret.",
    ...CREATED,
  },
});

export const rotateSecret = operation({
  audit: { shows: ["overlap"] },
  id: "rotateSecret",
  permission: "endpoints:write",
  portal: { needs: "manage_endpoints", concerns: "endpoint", fields: ["overlap"] },
  tag,
  summary: "Rotate an endpoint's signing secret",
  description:
    "The new secret is returned only in this answer. During the overlap, `webhook-signature` has a signature by the new secret, " +
    "then one by each replaced secret (at most the last two). After the overlap, only the new secret signs. A later rotation " +
    "may end an older overlap early: no overlap lasts longer than the newest one.",
  path,
  body: { schema: RotateSecret, isRaw: true, example: { overlap: 3_600 }, isOptional: true },
  success: {
    status: 201,
    description: "The endpoint and its new signing secret.",
    schema: ref("RotatedSecret"),
    example: {
      ...ENDPOINT_EXAMPLE,
      signing_secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
      previous_secret_expires_at: "2026-02-01T13:00:00.000Z",
    },
  },
  errors: [404],
});

export const get = operation({
  id: "getEndpoint",
  permission: "endpoints:read",
  portal: { needs: "view", concerns: "endpoint" },
  tag,
  summary: "Get an endpoint",
  path,
  success: { status: 200, description: "The endpoint.", schema: ref("Endpoint"), example: ENDPOINT_EXAMPLE },
  errors: [404],
});

export const update = (before: Audit["before"]) =>
  operation({
    audit: { shows: AUDITED, before },
    id: "updateEndpoint",
    permission: "endpoints:write",
    portal: { needs: "manage_endpoints", concerns: "endpoint", fields: PORTAL_FIELDS },
    tag,
    summary: "Change an endpoint",
    description:
      "Fields that are left out stay as they are. If the endpoint has secret headers, a `url` with another origin (scheme, host " +
      "or port) needs `headers` in the same request, otherwise it is a 400. So secrets never go to a host that they were not meant for.",
    path,
    body: { schema: UpdateEndpoint, isRaw: true, example: { is_active: false } },
    success: {
      status: 200,
      description: "The endpoint.",
      schema: ref("Endpoint"),
      example: ENDPOINT_EXAMPLE,
    },
    errors: [404, 409],
  });

export const put = operation({
  audit: { shows: AUDITED },
  id: "putEndpoint",
  permission: "endpoints:write",
  tag,
  summary: "Create or change an endpoint by its external id",
  description:
    "Put `~` and the `external_id` in the path. If no endpoint of the account has it, this registers the endpoint: `url` is " +
    "required, and the answer, 201, has the signing secret. Otherwise this changes the endpoint like PATCH. With an " +
    "`Idempotency-Key`, the same request gets the 201 with the secret again.",
  path,
  takesKey: true,
  body: {
    schema: PutEndpoint,
    isRaw: true,
    example: { url: "https://example.com/hooks", description: "Orders of the shop", event_filter: "order.*" },
  },
  success: [
    {
      status: 200,
      description: "The endpoint, changed.",
      schema: ref("Endpoint"),
      example: ENDPOINT_EXAMPLE,
    },
    { status: 201, description: "The endpoint, created.", ...CREATED },
  ],
  errors: [404, 409],
});

export const remove = operation({
  audit: { shows: [] },
  id: "deleteEndpoint",
  permission: "endpoints:write",
  portal: { needs: "manage_endpoints", concerns: "endpoint" },
  tag,
  summary: "Delete an endpoint",
  description: "Also cancels its pending deliveries.",
  path,
  success: DELETED_ANSWER,
  errors: [404],
});

export const stats = operation({
  id: "getEndpointStats",
  permission: "stats:read",
  portal: { needs: "view", concerns: "endpoint" },
  tag,
  summary: "Get an endpoint's statistics",
  description: "Counts at this moment. Fast even for an endpoint with a long history or backlog.",
  path,
  success: {
    status: 200,
    description: "The figures.",
    schema: ref("EndpointStats"),
    example: ENDPOINT_STATS_EXAMPLE,
  },
  errors: [404],
});

export const retry = operation({
  audit: { shows: [] },
  id: "retryEndpoint",
  permission: "webhooks:retry",
  portal: { needs: "retry", concerns: "endpoint" },
  tag,
  summary: "Attempt deliveries that wait for a retry now",
  description:
    "Ends the waits of the endpoint's deliveries. They keep their order. Activating an endpoint, and changing its URL, " +
    "headers, secret or schedule, also ends them. " +
    `Affects at most ${MOST_RETRIED.toLocaleString("en")} deliveries, in the order in which they are due.`,
  path,
  success: {
    status: 200,
    description: "The number of deliveries that waited.",
    schema: RetriedModel,
    example: { retried: 1 },
  },
  errors: [404],
});

export const test = operation({
  audit: { shows: ["event"] },
  id: "testEndpoint",
  permission: "webhooks:retry",
  portal: { needs: "test", concerns: "endpoint", fields: ["forged"] },
  tag,
  summary: "Send a test event",
  description: `
Sends an event of the type \`hermod.test\` like any webhook: signed, in the endpoint's order, with retries, and counted
against the month's limit. Receivers recognise it by the header \`webhook-event: hermod.test\`. The endpoint's filter does
not apply to it. While the endpoint is inactive, the test event waits like any delivery.

With \`forged\`, the signature is wrong on purpose, and the event is \`hermod.test.forged\`. It is attempted once. A receiver that
verifies answers 4xx: the delivery is then \`cancelled\`, with the reason \`forgery_refused\`. After a 2xx it is \`failed\`, and
the attempt has the error \`forgery_accepted\`. Neither counts against the endpoint's health.`.trim(),
  path,
  body: { schema: TestEvent, isRaw: true, example: {}, isOptional: true },
  success: {
    status: 201,
    description: "The delivery.",
    schema: ref("AcceptedDelivery"),
    example: { ...ACCEPTED_EXAMPLE, event: TEST_EVENT },
  },
  errors: [404],
});

export const testFilter = operation({
  audit: { shows: ["after", "before"] },
  id: "testEndpointFilter",
  permission: "webhooks:read",
  tag,
  summary: "Try a filter on kept events",
  description:
    "Lists the account's newest kept events, and the webhooks sent only to this endpoint, each with the result of the endpoint's " +
    "`event_types` and this `filter`, or of its own filter if you give none. Changes nothing. " +
    `Reads at most ${MAX_SAMPLE}, fewer if they are large or the filter takes many steps.`,
  path,
  body: { schema: FilterTest, isRaw: true, example: { filter: "data.total > 100" }, isOptional: true },
  success: {
    status: 200,
    description: "The events and webhooks that were read.",
    schema: ref("FilterTestResult"),
    example: {
      examined: 2,
      matched: 1,
      data: [
        {
          id: "evt_01k9x3w7r2e5bt8m1n4p6r8s00",
          event: "order.created",
          created_at: "2026-01-31T12:00:00.000Z",
          outcome: "match",
        },
        {
          id: ACCEPTED_EXAMPLE.id,
          event: "order.created",
          created_at: "2026-01-31T11:59:00.000Z",
          outcome: "error",
          error: "field not found: total",
        },
      ],
    },
  },
  errors: [404],
});
