import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { type CursorList, cursorPage } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { METADATA_PREFIX, Query } from "../../api/lists/query";
import { answerWhole } from "../../api/lists/whole-list";
import { operation } from "../../api/openapi/operation";
import { MOST_RETRIED } from "../../deliveries/retry";
import type { AccountId, EndpointId } from "../../domain/ids";
import { TEST_EVENT } from "../../domain/test-event";
import type { Endpoint } from "../../endpoints/endpoint";
import { MAX_SAMPLE } from "../../event-types/sample";
import type { Pulls } from "../../pulling/pulls";
import type { Clock } from "../../runtime/clock";
import { ACCEPTED_EXAMPLE, AcceptedModel } from "../webhooks/accepted";
import {
  type AddressChecking,
  AddressVerdict,
  CheckedAddress,
  checkUrlOf,
  FOUND_PROBLEMS_PER_MINUTE,
  VERDICT_EXAMPLE,
} from "./address-check";
import { ENDPOINT_CALLBACKS } from "./callbacks";
import {
  CERTIFICATION_DESCRIPTION,
  CERTIFICATION_EXAMPLE,
  Certification,
  type Certifying,
  certifyEndpoint,
} from "./certification";
import {
  CreatedEndpointModel,
  CreateEndpoint,
  ENDPOINT_EXAMPLE,
  EndpointModel,
  EndpointPage,
  PutEndpoint,
  RetriedModel,
  RotatedSecretModel,
  RotateSecret,
  seenBy,
  UpdateEndpoint,
  viewOfEndpoint,
} from "./endpoint";
import {
  FILTER_TEST_EXAMPLE,
  FilterTest,
  type FilterTesting,
  FilterTestResult,
  testFilter,
} from "./filter-test";
import { RECEIVE_DESCRIPTION, RECEIVED_EXAMPLE, Receive, ReceivedPage, receiveDeliveries } from "./receiving";
import { ENDPOINT_FILTERS, readEndpointSearch, SEARCH_PARAMETERS } from "./search-query";
import { AUDITED_SETTINGS } from "./settings";
import { ENDPOINT_STATS_EXAMPLE, EndpointStatsModel, viewOfEndpointStats } from "./stats";
import { sendTest, TestEvent, type TestingOptions } from "./test-event";
import {
  createEndpoint,
  putEndpoint,
  refusalOfFeed,
  refuse,
  rotateSecret,
  updateEndpoint,
  type WritingOptions,
} from "./writing";

/** Fields whose values the audit log shows. A URL, a filter, headers and metadata may have secrets. */
const AUDITED = [
  "delivery",
  "description",
  "event_filter",
  "event_types",
  "is_active",
  "feed",
  "feed_accounts",
  "external_id",
  ...AUDITED_SETTINGS,
];
/** The fields that a portal session may set. */
const PORTAL_FIELDS = [
  "url",
  "delivery",
  "description",
  "event_filter",
  "event_types",
  "is_active",
  "headers",
  "sensitive_headers",
];

const tag = "Endpoints";
const path = {
  id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" },
} as const;
const NEW_EXAMPLE = {
  url: "https://example.com/hooks",
  description: "Orders of the shop",
  event_filter: "order.*",
};
const SECRET_EXAMPLE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

const ONE = {
  status: 200,
  description: "The endpoint.",
  schema: EndpointModel,
  example: ENDPOINT_EXAMPLE,
} as const;
const CREATED = {
  status: 201,
  schema: CreatedEndpointModel,
  example: { ...ENDPOINT_EXAMPLE, signing_secret: SECRET_EXAMPLE },
} as const;

export type EndpointOptions = WritingOptions &
  TestingOptions &
  AddressChecking &
  FilterTesting &
  Certifying & { clock: Clock; cursors: Cursors; pulls: Pulls };

/** /endpoints */
export function endpointRoutes(guard: Guard, options: EndpointOptions) {
  const { endpoints, posting, clock } = options;
  const find = async (accountId: AccountId, id: string) => {
    const endpoint = await endpoints.get(accountId, idInPath("ep", id));
    if (endpoint === null) throw noSuch("ep");
    return endpoint;
  };
  return new Elysia({ prefix: "/endpoints" })
    .use(guard)
    .get(
      "",
      ({ call, request }) => listEndpoints(call, request.url, options),
      operation({
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
          schema: EndpointPage,
          example: { data: [ENDPOINT_EXAMPLE], cursor: null },
        },
      }),
    )
    .post(
      "",
      ({ call, request, body }) => createEndpoint(call, request, body, options),
      operation({
        id: "createEndpoint",
        permission: "endpoints:write",
        // The new endpoint's receiver gets payloads, hence `also`.
        portal: {
          needs: "manage_endpoints",
          also: "view_payloads",
          concerns: "account",
          fields: PORTAL_FIELDS,
        },
        audit: { shows: AUDITED },
        tag,
        summary: "Register an endpoint",
        description:
          "The signing secret is returned only in this answer. Hermod creates one unless you give `signing_secret`.",
        callbacks: ENDPOINT_CALLBACKS,
        body: { schema: CreateEndpoint, example: NEW_EXAMPLE },
        success: { ...CREATED, description: "The endpoint and its signing secret." },
      }),
    )
    .post(
      "/check-url",
      ({ call, request, body }) => checkUrlOf(options, call, request, body),
      operation({
        id: "checkEndpointUrl",
        permission: "endpoints:write",
        portal: { needs: "manage_endpoints", concerns: "account", fields: ["url"] },
        tag,
        summary: "Check a URL before an endpoint has it",
        description:
          "Checks the form of the URL, and looks up its host as an attempt would now. Connects to nothing, and changes nothing. " +
          `An account may find ${FOUND_PROBLEMS_PER_MINUTE} problems a minute; more checks get a 429.`,
        body: { schema: CheckedAddress, example: { url: VERDICT_EXAMPLE.url } },
        success: {
          status: 200,
          description: "The verdict.",
          schema: AddressVerdict,
          example: VERDICT_EXAMPLE,
        },
      }),
    )
    .get(
      "/:id",
      async ({ call: { principal, allowance }, params }) => {
        const endpoint = await find(principal.accountId, params.id);
        return answer(allowance, 200, viewOfEndpoint(seenBy(principal, endpoint)));
      },
      operation({
        id: "getEndpoint",
        permission: "endpoints:read",
        portal: { needs: "view", concerns: "endpoint" },
        tag,
        summary: "Get an endpoint",
        path,
        success: ONE,
        errors: [404],
      }),
    )
    .patch(
      "/:id",
      ({ call, params, request, body }) => updateEndpoint(call, params.id, request, body, options),
      operation({
        id: "updateEndpoint",
        permission: "endpoints:write",
        portal: { needs: "manage_endpoints", concerns: "endpoint", fields: PORTAL_FIELDS },
        audit: {
          shows: AUDITED,
          before: async (accountId, { id = "" }) => viewOfEndpoint(await find(accountId, id)),
        },
        tag,
        summary: "Change an endpoint",
        description:
          "Fields that are left out stay as they are. If the endpoint has secret headers, a `url` with another origin (scheme, host " +
          "or port) needs `headers` in the same request, otherwise it is a 400. So secrets never go to a host that they were not meant for.",
        path,
        body: { schema: UpdateEndpoint, example: { is_active: false } },
        success: ONE,
        errors: [404, 409],
      }),
    )
    .put(
      "/:id",
      ({ call, params, request, body }) => putEndpoint(call, params.id, request, body, options),
      operation({
        id: "putEndpoint",
        permission: "endpoints:write",
        audit: { shows: AUDITED },
        tag,
        summary: "Create or change an endpoint by its external id",
        description:
          "Put `~` and the `external_id` in the path. If no endpoint of the account has it, this registers the endpoint: `url` is " +
          "required, and the answer, 201, has the signing secret. Otherwise this changes the endpoint like PATCH. With an " +
          "`Idempotency-Key`, the same request gets the 201 with the secret again.",
        path,
        takesKey: true,
        body: { schema: PutEndpoint, example: NEW_EXAMPLE },
        success: [
          { ...ONE, description: "The endpoint, changed." },
          { ...CREATED, description: "The endpoint, created." },
        ],
        errors: [404, 409],
      }),
    )
    .post(
      "/:id/rotate-secret",
      ({ call, params, request, body }) => rotateSecret(call, params.id, request, body, options),
      operation({
        id: "rotateSecret",
        permission: "endpoints:write",
        portal: { needs: "manage_endpoints", concerns: "endpoint", fields: ["overlap"] },
        audit: { shows: ["overlap"] },
        tag,
        summary: "Rotate an endpoint's signing secret",
        description:
          "The new secret is returned only in this answer. During the overlap, `webhook-signature` has a signature by the new secret, " +
          "then one by each replaced secret (at most the last two). After the overlap, only the new secret signs. A later rotation " +
          "may end an older overlap early: no overlap lasts longer than the newest one.",
        path,
        body: { schema: RotateSecret, example: { overlap: 3_600 }, isOptional: true },
        success: {
          status: 201,
          description: "The endpoint and its new signing secret.",
          schema: RotatedSecretModel,
          example: { ...CREATED.example, previous_secret_expires_at: "2026-02-01T13:00:00.000Z" },
        },
        errors: [404],
      }),
    )
    .delete(
      "/:id",
      async ({ call: { principal, allowance }, params }) => {
        const { id, feedAccounts } = await find(principal.accountId, params.id);
        refuse(refusalOfFeed(principal, feedAccounts));
        if (!(await endpoints.delete(principal.accountId, id))) throw noSuch("ep");
        return answer(allowance, 200, DELETED);
      },
      operation({
        id: "deleteEndpoint",
        permission: "endpoints:write",
        portal: { needs: "manage_endpoints", concerns: "endpoint" },
        audit: { shows: [] },
        tag,
        summary: "Delete an endpoint",
        description: "Also cancels its pending deliveries.",
        path,
        success: DELETED_ANSWER,
        errors: [404],
      }),
    )
    .get(
      "/:id/stats",
      async ({ call: { principal, allowance }, params }) => {
        const now = clock.now();
        const stats = await endpoints.stats(principal.accountId, idInPath("ep", params.id), now);
        if (stats === null) throw noSuch("ep");
        return answer(allowance, 200, viewOfEndpointStats(stats, now));
      },
      operation({
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
          schema: EndpointStatsModel,
          example: ENDPOINT_STATS_EXAMPLE,
        },
        errors: [404],
      }),
    )
    .post(
      "/:id/retry",
      ({ call, params, request }) =>
        posting.handle(call, request, () => async (sql) => {
          const id = idInPath("ep", params.id);
          const retried = await endpoints.retry(sql, call.principal.accountId, id);
          if (retried === null) throw noSuch("ep");
          const json = JSON.stringify({ retried });
          return { status: 200, json, afterCommit: () => endpoints.notifyChange(id) };
        }),
      operation({
        id: "retryEndpoint",
        permission: "webhooks:retry",
        portal: { needs: "retry", concerns: "endpoint" },
        audit: { shows: [] },
        tag,
        summary: "Attempt deliveries that wait for a retry now",
        description:
          "Ends the waits of the endpoint's deliveries, and its rest. They keep their order. An attempt that ends a wait early " +
          "uses up no step of the schedule. Activating an endpoint, and changing its URL, headers, secret or schedule, has the " +
          "same effect. " +
          `Affects at most ${MOST_RETRIED.toLocaleString("en")} deliveries, in the order in which they are due.`,
        path,
        success: {
          status: 200,
          description: "The number of deliveries that waited.",
          schema: RetriedModel,
          example: { retried: 1 },
        },
        errors: [404],
      }),
    )
    .post(
      "/:id/receive",
      ({ call, params, request, body }) => receiveDeliveries(options.pulls, call, params.id, request, body),
      operation({
        id: "receive",
        permission: "endpoints:write",
        forReceivers: true,
        tag,
        summary: "Read and acknowledge an endpoint's deliveries",
        description: RECEIVE_DESCRIPTION,
        path,
        takesKey: false,
        body: {
          schema: Receive,
          example: { receipt: RECEIVED_EXAMPLE.receipt, ack_through: 41, wait: 20 },
          isOptional: true,
        },
        success: {
          status: 200,
          description: "The next deliveries.",
          schema: ReceivedPage,
          example: RECEIVED_EXAMPLE,
        },
        errors: [404, 409],
      }),
    )
    .post(
      "/:id/filter/test",
      ({ call, params, request, body }) => testFilter(options, call, params.id, request, body),
      operation({
        id: "testEndpointFilter",
        permission: "webhooks:read",
        audit: { shows: ["after", "before"] },
        tag,
        summary: "Try a filter on kept events",
        description:
          "Lists the account's newest kept events, and the webhooks sent only to this endpoint, each with the result of the endpoint's " +
          "`event_types` and this `filter`, or of its own filter if you give none. Changes nothing. " +
          `Reads at most ${MAX_SAMPLE}, fewer if they are large or the filter takes many steps.`,
        path,
        body: { schema: FilterTest, example: { filter: "data.total > 100" }, isOptional: true },
        success: {
          status: 200,
          description: "The events and webhooks that were read.",
          schema: FilterTestResult,
          example: FILTER_TEST_EXAMPLE,
        },
        errors: [404],
      }),
    )
    .post(
      "/:id/test",
      ({ call, params, request }) => sendTest(call, params.id, request, options),
      operation({
        id: "testEndpoint",
        permission: "webhooks:retry",
        portal: { needs: "test", concerns: "endpoint", fields: ["forged"] },
        audit: { shows: ["event"] },
        tag,
        summary: "Send a test event",
        description: `
Sends an event of the type \`hermod.test\` like any webhook: signed, in the endpoint's order, with retries, and counted
against the month's limit. Receivers recognise it by the header \`webhook-event: hermod.test\`. The endpoint's filter does
not apply to it. While the endpoint is inactive, the test event waits like any delivery.

With \`forged\`, the signature is wrong on purpose, and the event is \`hermod.test.forged\`. It is attempted once. A receiver that
verifies answers 4xx: the delivery is then \`cancelled\`, with the reason \`forgery_refused\`. After a 2xx it is \`failed\`, and
the attempt has the error \`forgery_accepted\`. Neither counts against the endpoint's health.

The receiver of a pulled endpoint reads the test event like any delivery. A forged one is refused, since it gets no signature.`.trim(),
        path,
        body: { schema: TestEvent, isRaw: true, example: {}, isOptional: true },
        success: {
          status: 201,
          description: "The delivery.",
          schema: AcceptedModel,
          example: { ...ACCEPTED_EXAMPLE, event: TEST_EVENT },
        },
        errors: [404, 409],
      }),
    )
    .post(
      "/:id/certify",
      ({ call, params, request }) => certifyEndpoint(options, call, params.id, request),
      operation({
        id: "certifyEndpoint",
        permission: "webhooks:retry",
        portal: { needs: "test", concerns: "endpoint" },
        audit: { shows: [] },
        tag,
        summary: "Certify a receiver",
        description: CERTIFICATION_DESCRIPTION,
        path,
        success: {
          status: 200,
          description: "The report.",
          schema: Certification,
          example: CERTIFICATION_EXAMPLE,
        },
        errors: [404, 409],
      }),
    );
}

async function listEndpoints(
  { principal, allowance }: Call,
  url: string,
  { endpoints, cursors }: EndpointOptions,
): Promise<Response> {
  const { accountId } = principal;
  const view = (endpoint: Endpoint) => viewOfEndpoint(seenBy(principal, endpoint));
  const query = new Query(url, ["limit", "cursor", ...ENDPOINT_FILTERS], METADATA_PREFIX);
  const search = readEndpointSearch(query);
  const portal = principal.session?.portal;
  if (portal?.endpointIds) {
    const some = await endpoints.some(accountId, portal.endpointIds);
    return answer(allowance, 200, some.filter(({ feed }) => !feed).map(view));
  }
  const list: CursorList<Endpoint, EndpointId> = {
    cursors: cursors.of("endpoints", accountId),
    keyOf: ({ id }) => id,
    read: (asked) => endpoints.page(accountId, asked, portal ? { ...search, feeds: false } : search),
    view,
  };
  if (!query.has("limit") && !query.has("cursor")) return answerWhole(allowance, list);
  return answer(allowance, 200, await cursorPage(url, list));
}
