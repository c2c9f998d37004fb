import { Elysia } from "elysia";
import type { Backlog } from "../../deliveries/backlog";
import type { Deliveries } from "../../deliveries/deliveries";
import type { DeliverySummary } from "../../deliveries/delivery";
import { type AccountId, type EndpointId, toText } from "../../domain/ids";
import { answer } from "../answer";
import type { Call } from "../call";
import type { Guard } from "../guard";
import { idInPath, noSuch } from "../ids";
import type { Cursors, ListCursors } from "../lists/cursors";
import { formatInstant } from "../lists/instant";
import { pageLimit } from "../lists/page-limit";
import { Query } from "../lists/query";
import { viewOfListed } from "../webhooks/model";
import * as operations from "./operations";

export type BacklogOptions = { deliveries: Deliveries; cursors: Cursors };

/** /backlog, and the queues of endpoints */
export function backlogRoutes(guard: Guard, options: BacklogOptions) {
  return new Elysia()
    .use(guard)
    .get("/backlog", async ({ call, request }) => listBacklog(call, request.url, options), {
      ...operations.backlog,
    })
    .get(
      "/endpoints/:id/queue",
      async ({ call, params, request }) => listQueue(call, idInPath("ep", params.id), request.url, options),
      { ...operations.queue },
    );
}

async function listBacklog(
  { principal: { accountId }, allowance }: Call,
  url: string,
  { deliveries, cursors: all }: BacklogOptions,
): Promise<Response> {
  const cursors = all.of<EndpointId>("backlog", accountId);
  const { limit, after } = readPage(url, cursors);
  const { data, next } = await deliveries.backlog(accountId, { limit, after });
  const heads = await listed(
    deliveries,
    accountId,
    data.map(({ head }) => head),
  );
  const items = data.map((each, i) => ({ ...viewOfBacklog(each), head: heads[i] }));
  return answer(allowance, 200, { data: items, cursor: next && cursors.write(next) });
}

function viewOfBacklog({ endpointId, pending, head }: Backlog) {
  return { endpoint_id: toText("ep", endpointId), pending, since: formatInstant(head.createdAt) };
}

async function listQueue(
  { principal: { accountId }, allowance }: Call,
  endpointId: EndpointId,
  url: string,
  { deliveries, cursors: all }: BacklogOptions,
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
