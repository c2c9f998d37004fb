import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../api/answer";
import type { Call } from "../api/call";
import type { Guard } from "../api/guard";
import { idInPath, noSuch } from "../api/ids";
import { CURSOR_PARAMETERS, cursorPageOf } from "../api/lists/cursor-model";
import type { Cursors, ListCursors } from "../api/lists/cursors";
import { formatInstant } from "../api/lists/instant";
import { pageLimit } from "../api/lists/page-limit";
import { Query } from "../api/lists/query";
import { operation } from "../api/openapi/operation";
import { named, nullable, ref, timestamp, written } from "../api/openapi/schema";
import { type EndpointBacklog, isLate, LATE_MS, MOST_PENDING } from "../deliveries/backlog";
import type { Deliveries } from "../deliveries/deliveries";
import type { DeliverySummary } from "../deliveries/delivery";
import { MOST_EXAMINED } from "../deliveries/stuck-orders";
import { type AccountId, type EndpointId, toText } from "../domain/ids";
import type { Clock } from "../runtime/clock";
import type { Series } from "../series/series";
import { ENDPOINT_EXAMPLE } from "./endpoints/endpoint";
import { LISTED_EXAMPLE, viewOfListed } from "./webhooks/delivery";
import { orderingKey } from "./webhooks/send-body";

const BacklogModel = named(
  "Backlog",
  Type.Object({
    endpoint_id: Type.String(),
    pending: Type.Integer({
      description: `Its pending deliveries. Exact below ${written(MOST_PENDING)}, which means that many or more.`,
    }),
    since: timestamp("When the first of them was accepted, or due if it was scheduled."),
    late: Type.Boolean({
      description:
        `True if the first of them has been pending for longer than ${LATE_MS / 1_000} s, and for longer than 99 % of the attempts of the ` +
        "last hour took, unless the account set the endpoint inactive. If false, none of them is late.",
    }),
    head: ref("ListedDelivery"),
  }),
);
const BacklogPage = named("BacklogPage", cursorPageOf("Backlog"));
const QueuePage = named("QueuePage", cursorPageOf("ListedDelivery"));

const StuckOrderModel = named(
  "StuckOrder",
  Type.Object({
    ordering_key: nullable(
      Type.String({
        description:
          "Null for the deliveries without a key, and for the one order of an endpoint that is `ordered`.",
      }),
    ),
    pending: Type.Integer({ description: "The pending deliveries of the order, `head` included." }),
    head: ref("ListedDelivery"),
  }),
);

const StuckOrders = named(
  "StuckOrders",
  Type.Object({
    data: Type.Array(StuckOrderModel),
    complete: Type.Boolean({
      description:
        `False if the endpoint has more than ${written(MOST_EXAMINED)} pending deliveries. Only the first of them were examined, so ` +
        "there may be more of these orders, and more in each.",
    }),
  }),
);

const EXAMPLE = {
  endpoint_id: ENDPOINT_EXAMPLE.id,
  pending: 1_000,
  since: LISTED_EXAMPLE.created_at,
  late: true,
  head: LISTED_EXAMPLE,
};

export type BacklogRoutesOptions = {
  deliveries: Deliveries;
  series: Pick<Series, "usualTimes">;
  cursors: Cursors;
  clock: Pick<Clock, "now">;
};

/** /backlog, and the queues of endpoints */
export function backlogRoutes(guard: Guard, options: BacklogRoutesOptions) {
  return new Elysia()
    .use(guard)
    .get(
      "/backlog",
      ({ call, request }) => listBacklog(call, request.url, options),
      operation({
        id: "getBacklog",
        sdk: "backlog",
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
          schema: BacklogPage,
          example: { data: [EXAMPLE], cursor: null },
        },
      }),
    )
    .get(
      "/endpoints/:id/queue",
      async ({ call, params, request }) => listQueue(call, idInPath("ep", params.id), request.url, options),
      operation({
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
          schema: QueuePage,
          example: { data: [LISTED_EXAMPLE], cursor: null },
        },
        errors: [404],
      }),
    )
    .get(
      "/endpoints/:id/stuck-orders",
      async ({ call, params, request }) =>
        listStuckOrders(call, idInPath("ep", params.id), request.url, options),
      operation({
        id: "listStuckOrders",
        permission: "webhooks:read",
        tag: "Endpoints",
        summary: "List the orders whose first delivery is retried",
        description:
          "The orders of an endpoint, one for each ordering key if it is `by_key`, whose first pending delivery has had an attempt: it " +
          "holds back those behind it. The order with most pending deliveries comes first. An `unordered` endpoint has none.",
        path: { id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" } },
        query: Type.Object({ limit: CURSOR_PARAMETERS.limit }),
        success: {
          status: 200,
          description: "The orders, most pending deliveries first.",
          schema: StuckOrders,
          example: {
            data: [{ ordering_key: "customer-42", pending: 12, head: LISTED_EXAMPLE }],
            complete: true,
          },
        },
        errors: [404],
      }),
    );
}

async function listStuckOrders(
  { principal: { accountId }, allowance }: Call,
  endpointId: EndpointId,
  url: string,
  { deliveries }: BacklogRoutesOptions,
): Promise<Response> {
  const limit = pageLimit(new Query(url, ["limit"]).count("limit"));
  const found = await deliveries.stuckOrders(accountId, { endpointId, limit });
  if (found === null) throw noSuch("ep");
  const heads = await listed(
    deliveries,
    accountId,
    found.orders.map(({ head }) => head),
  );
  const data = found.orders.map(({ orderingKey, pending }, i) => ({
    ordering_key: orderingKey,
    pending,
    head: heads[i],
  }));
  return answer(allowance, 200, { data, complete: found.complete });
}

async function listBacklog(
  { principal: { accountId }, allowance }: Call,
  url: string,
  { deliveries, series, cursors: all, clock }: BacklogRoutesOptions,
): Promise<Response> {
  const cursors = all.of<EndpointId>("backlog", accountId);
  const { limit, after } = readPage(url, cursors);
  const { data, next } = await deliveries.backlog(accountId, { limit, after });
  const now = clock.now();
  const slow = data.filter((each) => isLate(each, 0, now)).map(({ endpointId }) => endpointId);
  const usual = await series.usualTimes(slow);
  const heads = await listed(
    deliveries,
    accountId,
    data.map(({ head }) => head),
  );
  const items = data.map((each, i) => {
    const late = isLate(each, usual.get(each.endpointId) ?? 0, now);
    return { ...viewOfBacklog(each), late, head: heads[i] };
  });
  return answer(allowance, 200, { data: items, cursor: next && cursors.write(next) });
}

function viewOfBacklog({
  endpointId,
  pending,
  since,
}: EndpointBacklog): Omit<Static<typeof BacklogModel>, "late" | "head"> {
  return { endpoint_id: toText("ep", endpointId), pending, since: formatInstant(since) };
}

async function listQueue(
  { principal: { accountId }, allowance }: Call,
  endpointId: EndpointId,
  url: string,
  { deliveries, cursors: all }: BacklogRoutesOptions,
): Promise<Response> {
  const cursors = all.of<number>("queue", accountId);
  const { limit, after } = readPage(url, cursors);
  const orderingKey = new Query(url, ["ordering_key"]).text("ordering_key");
  const found = await deliveries.queueOf(accountId, { endpointId, limit: limit + 1, after, orderingKey });
  if (found === null) throw noSuch("ep");
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1)?.sequence : null;
  return answer(allowance, 200, {
    data: await listed(deliveries, accountId, shown),
    cursor: last == null ? null : cursors.write(last),
  });
}

function readPage<Position>(url: string, cursors: ListCursors<Position>) {
  const query = new Query(url, ["limit", "cursor"]);
  return { limit: pageLimit(query.count("limit")), after: cursors.readCursor(query.text("cursor")) };
}

async function listed(deliveries: Deliveries, accountId: AccountId, all: readonly DeliverySummary[]) {
  const waiting = await deliveries.waiting(
    accountId,
    all.map(({ id }) => id),
  );
  return all.map((each) => viewOfListed(each, waiting.get(each.id)));
}
