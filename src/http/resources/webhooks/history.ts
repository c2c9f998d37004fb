import type { Deliveries } from "../../../deliveries/deliveries";
import type { DeliveryDetail, DeliverySummary } from "../../../deliveries/delivery";
import type { IteratorPosition, PagePosition } from "../../../deliveries/lists/cursor";
import type { AccountId } from "../../../domain/ids";
import { isInReach, seesPayloads } from "../../../sessions/portal-reach";
import { answer, answerText } from "../../answer";
import type { Call } from "../../call";
import { badRequest } from "../../errors";
import { idInPath, noSuch } from "../../ids";
import type { Cursors, ListCursors } from "../../lists/cursors";
import {
  type CursorForm,
  type IteratorForm,
  type PageForm,
  readFilterQuery,
  readListQuery,
} from "./list-query";
import { detailJson, viewOfDelivery, viewOfListed } from "./model";
import { viewOfSummary } from "./summary";

export type HistoryOptions = { deliveries: Deliveries; cursors: Cursors };

/** The position in a token. A token from an iterator's answer also works as a cursor. */
type Position = PagePosition | IteratorPosition;

/** Answers requests about past and pending deliveries. */
export class History {
  constructor(private readonly options: HistoryOptions) {}

  /** Answers GET /webhooks in the form that its parameters choose. */
  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    return answer(allowance, 200, await this.listAs(principal.accountId, url));
  }

  /** Counts the deliveries that match the list's filters. */
  async count({ principal, allowance }: Call, url: string): Promise<Response> {
    const { filters, created } = readFilterQuery(url);
    const counts = await this.options.deliveries.count(principal.accountId, { ...filters, ...created });
    return answer(allowance, 200, viewOfSummary(counts));
  }

  async get({ principal, allowance }: Call, text: string): Promise<Response> {
    const delivery = await this.options.deliveries.get(principal.accountId, idInPath("wh", text));
    if (delivery === null) throw noSuch("wh");
    const portal = principal.session?.portal;
    const isShown = !portal || (seesPayloads(portal) && isInReach(portal, delivery.event));
    return answerText(allowance, 200, detailJson(isShown ? delivery : withoutPayloads(delivery)));
  }

  private listAs(accountId: AccountId, url: string): Promise<object> {
    const query = readListQuery(url);
    switch (query.form) {
      case "page":
        return this.listPage(accountId, query);
      case "cursor":
        return this.listAfter(accountId, query);
      case "iterator":
        return this.iterate(accountId, query, this.startOf(accountId, query.iterator));
    }
  }

  private async listPage(accountId: AccountId, { page, perPage, filters }: PageForm): Promise<object> {
    const { deliveries } = this.options;
    const found = await deliveries.pageForm(accountId, { page, perPage, ...filters });
    return {
      deliveries: found.deliveries.map(viewOfDelivery),
      total: found.total,
      page,
      per_page: perPage,
    };
  }

  private async listAfter(accountId: AccountId, query: CursorForm): Promise<object> {
    const { limit, cursor, filters, created } = query;
    const cursors = this.cursorsOf(accountId);
    const after = cursors.readCursor(cursor);
    if (after && "transaction" in after) return this.iterate(accountId, query, after);
    const asked = { limit, after, ...filters, ...created };
    const { data, next } = await this.options.deliveries.cursorForm(accountId, asked);
    return { data: await this.listed(accountId, data), cursor: next && cursors.write(next) };
  }

  private async iterate(
    accountId: AccountId,
    { limit, filters, created }: CursorForm | IteratorForm,
    from: "start" | "now" | IteratorPosition,
  ): Promise<object> {
    const asked = { from, limit, ...filters, ...created };
    const { data, position, more } = await this.options.deliveries.iterate(accountId, asked);
    const iterator = this.cursorsOf(accountId).write(position);
    return { data: await this.listed(accountId, data), cursor: more ? iterator : null, iterator };
  }

  /** Adds the reasons for which pending deliveries wait; none for a delivery that has ended since the list was read. */
  private async listed(accountId: AccountId, data: readonly DeliverySummary[]): Promise<object[]> {
    const pending = data.filter(({ status }) => status === "pending").map(({ id }) => id);
    const waiting = await this.options.deliveries.waiting(accountId, pending);
    return data.map((each) => viewOfListed(each, waiting.get(each.id)));
  }

  private startOf(accountId: AccountId, iterator: string): "start" | "now" | IteratorPosition {
    if (iterator === "start" || iterator === "now") return iterator;
    const position = this.cursorsOf(accountId).readIterator(iterator);
    if ("transaction" in position) return position;
    throw badRequest("iterator must be start, now or the iterator of an earlier answer, not its cursor");
  }

  private cursorsOf(accountId: AccountId): ListCursors<Position> {
    return this.options.cursors.of<Position>("webhooks", accountId);
  }
}

/** Removes the payload and the receiver's answers, which may repeat it. */
function withoutPayloads(delivery: DeliveryDetail): DeliveryDetail {
  const attempts = delivery.attempts.map((each) => ({
    ...each,
    responseBody: null,
    exchange: null,
    location: null,
  }));
  return { ...delivery, data: null, attempts };
}
