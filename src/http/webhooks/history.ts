import {
  formatIteratorPosition,
  formatPagePosition,
  type IteratorPosition,
  parseIteratorPosition,
  parsePagePosition,
} from "../../deliveries/cursor";
import type { Deliveries } from "../../deliveries/deliveries";
import type { AccountId } from "../../runtime/ids";
import { answer, answerText } from "../answer";
import type { Call } from "../call";
import { badRequest } from "../errors";
import { idInPath, noSuch } from "../path-id";
import { type CursorForm, type IteratorForm, type PageForm, readListQuery } from "./list-query";
import { detailJson, viewOfDelivery } from "./model";

export type HistoryOptions = { deliveries: Deliveries };

/** What became of webhooks. */
export class History {
  constructor(private readonly options: HistoryOptions) {}

  /** GET /webhooks in the form that its parameters say. */
  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    return answer(allowance, 200, await this.listAs(principal.accountId, url));
  }

  async get({ principal, allowance }: Call, text: string): Promise<Response> {
    const delivery = await this.options.deliveries.get(principal.accountId, idInPath("wh", text));
    if (delivery === null) throw noSuch("wh");
    return answerText(allowance, 200, detailJson(delivery));
  }

  private listAs(accountId: AccountId, url: string): Promise<object> {
    const query = readListQuery(url);
    switch (query.form) {
      case "page":
        return this.listPage(accountId, query);
      case "cursor":
        return this.listAfter(accountId, query);
      case "iterator":
        return this.iterate(accountId, query, startOf(query.iterator));
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
    const after = cursor === undefined ? undefined : parsePagePosition(cursor);
    if (cursor !== undefined && after === null)
      return this.iterate(accountId, query, positionOf("cursor", cursor));
    const asked = { limit, after: after ?? undefined, ...filters, ...created };
    const { data, next } = await this.options.deliveries.cursorForm(accountId, asked);
    return { data: data.map(viewOfDelivery), cursor: next && formatPagePosition(next) };
  }

  private async iterate(
    accountId: AccountId,
    { limit, filters, created }: CursorForm | IteratorForm,
    from: "start" | "now" | IteratorPosition,
  ): Promise<object> {
    const asked = { from, limit, ...filters, ...created };
    const { data, position, more } = await this.options.deliveries.iterate(accountId, asked);
    const iterator = formatIteratorPosition(position);
    return { data: data.map(viewOfDelivery), cursor: more ? iterator : null, iterator };
  }
}

function startOf(iterator: string): "start" | "now" | IteratorPosition {
  return iterator === "start" || iterator === "now" ? iterator : positionOf("iterator", iterator);
}

/** An iterator's answer carries a cursor too, which leads to the same place. */
function positionOf(name: "cursor" | "iterator", token: string): IteratorPosition {
  const position = parseIteratorPosition(token);
  if (position === null) throw badRequest(`${name} is not one that an answer carried`);
  return position;
}
