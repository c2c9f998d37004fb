import type { Principal } from "../../accounts/authentication/principal";
import { badRequest } from "../../api/errors";
import type { Cursors, ListCursors } from "../../api/lists/cursors";
import type { Deliveries } from "../../deliveries/deliveries";
import type { DeliverySummary } from "../../deliveries/delivery";
import type { IteratorPosition, PagePosition } from "../../deliveries/lists/cursor";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { Endpoints } from "../../endpoints/endpoint";
import { viewOfDelivery, viewOfListed } from "./delivery";
import { type CursorForm, type IteratorForm, type PageForm, readListQuery } from "./list-query";
import { seenDeliveries } from "./portal-view";

export type ListOptions = {
  deliveries: Deliveries;
  endpoints: Pick<Endpoints, "feedsAmong" | "feedsOf">;
  cursors: Cursors;
};

/** The position in a token. A token from an iterator's answer also works as a cursor. */
type ListPosition = PagePosition | IteratorPosition;

type List = Readonly<{
  deliveries: Deliveries;
  accountId: AccountId;
  cursors: ListCursors<ListPosition>;
  /** Leaves out what the caller may not see. */
  seen: (all: readonly DeliverySummary[]) => Promise<readonly DeliverySummary[]>;
}>;

/** Returns the answer to GET /webhooks, in the form that its parameters choose. */
export async function listDeliveries(
  { deliveries, endpoints, cursors }: ListOptions,
  principal: Principal,
  url: string,
): Promise<object> {
  const { accountId } = principal;
  const seen = (all: readonly DeliverySummary[]) =>
    seenDeliveries(principal, endpoints, all, ({ endpointId }) => endpointId);
  const list: List = { deliveries, accountId, cursors: cursors.of("webhooks", accountId), seen };
  const query = readListQuery(url);
  switch (query.form) {
    case "page":
      return pageOf(list, query, principal.session?.portal ? await endpoints.feedsOf(accountId) : []);
    case "cursor":
      return pageAfter(list, query);
    case "iterator":
      return iterate(list, query, startOf(list, query.iterator));
  }
}

async function pageOf(
  { deliveries, accountId }: List,
  { page, perPage, filters }: PageForm,
  hidden: readonly EndpointId[],
): Promise<object> {
  const except = hidden.length === 0 ? undefined : hidden;
  const { deliveries: data, total } = await deliveries.pageForm(accountId, {
    page,
    perPage,
    except,
    ...filters,
  });
  return { deliveries: data.map(viewOfDelivery), total, page, per_page: perPage };
}

async function pageAfter(list: List, query: CursorForm): Promise<object> {
  const { deliveries, accountId, cursors } = list;
  const { limit, cursor, filters, created } = query;
  const after = cursors.readCursor(cursor);
  if (after && "transaction" in after) return iterate(list, query, after);
  const { data, next } = await deliveries.cursorForm(accountId, { limit, after, ...filters, ...created });
  return { data: await listed(list, data), cursor: next && cursors.write(next) };
}

async function iterate(
  list: List,
  { limit, filters, created }: CursorForm | IteratorForm,
  from: "start" | "now" | IteratorPosition,
): Promise<object> {
  const { deliveries, accountId, cursors } = list;
  const asked = { from, limit, ...filters, ...created };
  const { data, position, more } = await deliveries.iterate(accountId, asked);
  const iterator = cursors.write(position);
  return { data: await listed(list, data), cursor: more ? iterator : null, iterator };
}

/** Adds the reasons for which pending deliveries wait; none for a delivery that has ended since the list was read. */
async function listed(
  { deliveries, accountId, seen }: List,
  data: readonly DeliverySummary[],
): Promise<object[]> {
  const shown = await seen(data);
  const pending = shown.filter(({ status }) => status === "pending").map(({ id }) => id);
  const waiting = await deliveries.waiting(accountId, pending);
  return shown.map((each) => viewOfListed(each, waiting.get(each.id)));
}

function startOf({ cursors }: List, iterator: string): "start" | "now" | IteratorPosition {
  if (iterator === "start" || iterator === "now") return iterator;
  const position = cursors.readIterator(iterator);
  if ("transaction" in position) return position;
  throw badRequest("iterator must be start, now or the iterator of an earlier answer, not its cursor");
}
