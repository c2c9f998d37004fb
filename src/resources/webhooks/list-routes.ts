import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../../api/answer";
import type { Guard } from "../../api/guard";
import { eventText } from "../../api/live/event-text";
import { operation } from "../../api/openapi/operation";
import { DELIVERY_EXAMPLE, DeliveryListing, LISTED_EXAMPLE } from "./delivery";
import { DELIVERY_FILTERS, readFilterQuery } from "./delivery-filters";
import { type ListOptions, listDeliveries } from "./list";
import { LIST_DESCRIPTION, LIST_PARAMETERS } from "./list-query";
import { SUMMARY_EXAMPLE, SummaryModel, viewOfSummary } from "./summary";
import { TAIL_DESCRIPTION, TAIL_PARAMETERS, type TailOptions, tailOfWebhooks } from "./tail";

const tag = "Webhooks";
const TAIL_EXAMPLE = { ...DELIVERY_EXAMPLE, sequence: LISTED_EXAMPLE.sequence };

/** GET /webhooks, /webhooks/summary and /webhooks/tail */
export function listRoutes(guard: Guard, options: ListOptions & TailOptions) {
  return new Elysia({ prefix: "/webhooks" })
    .use(guard)
    .get(
      "",
      async ({ call: { principal, allowance }, request }) =>
        answer(allowance, 200, await listDeliveries(options, principal, request.url)),
      operation({
        id: "listWebhooks",
        permission: "webhooks:read",
        portal: { needs: "view", concerns: "filter" },
        tag,
        summary: "List deliveries",
        description: LIST_DESCRIPTION,
        query: Type.Object(LIST_PARAMETERS),
        success: {
          status: 200,
          description: "A page.",
          schema: DeliveryListing,
          examples: {
            pages: {
              summary: "Pages",
              value: { deliveries: [DELIVERY_EXAMPLE], total: 1, page: 1, per_page: 20 },
            },
            cursors: { summary: "Cursors", value: { data: [LISTED_EXAMPLE], cursor: null } },
          },
        },
        errors: [409],
      }),
    )
    .get(
      "/summary",
      async ({ call: { principal, allowance }, request }) => {
        const { filters, created } = readFilterQuery(request.url);
        const counts = await options.deliveries.count(principal.accountId, { ...filters, ...created });
        return answer(allowance, 200, viewOfSummary(counts));
      },
      operation({
        id: "summarizeWebhooks",
        sdk: "webhooks.summary",
        permission: "webhooks:read",
        tag,
        summary: "Count deliveries by status and answer",
        description:
          "Counts the deliveries that match the filters of the list with cursors, newest first, for a second at most. If the time is over, " +
          "`complete` is false, and deliveries accepted before `oldest_at` are not counted. Use `after` to count less. One count runs per account, two in all; others wait.",
        query: Type.Object(DELIVERY_FILTERS),
        success: {
          status: 200,
          description: "The counts.",
          schema: SummaryModel,
          example: SUMMARY_EXAMPLE,
        },
      }),
    )
    .get(
      "/tail",
      ({ call, request }) => tailOfWebhooks(options, call, request),
      operation({
        id: "tailWebhooks",
        permission: "webhooks:read",
        portal: { needs: "view", concerns: "filter" },
        tag,
        summary: "Follow deliveries",
        description: TAIL_DESCRIPTION,
        query: Type.Object(TAIL_PARAMETERS),
        isResumed: true,
        success: {
          status: 200,
          description:
            "Events `delivery` and `update`, each with a delivery and its `sequence`, as in lists with cursors.",
          stream: eventText({ name: "delivery", json: JSON.stringify(TAIL_EXAMPLE), id: "q3Jk0vX2m8s" }),
        },
      }),
    );
}
