import type { Database } from "../../../db/database";
import { untilNoDeadlock } from "../../../db/database";
import type { DeliverySummary } from "../../../deliveries/delivery";
import { type Erased, erasePayloads } from "../../../deliveries/erasure";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../../../domain/ids";
import { eventProblem } from "../../../domain/names";
import type { EventDetail, EventQuery, Missed } from "../../../events/event";
import type { Events } from "../../../events/events";
import type { EventPosition } from "../../../events/list";
import { answer, answerText } from "../../answer";
import type { Call } from "../../call";
import { badRequest } from "../../errors";
import { idInPath, noSuch } from "../../ids";
import { type CursorList, cursorPage, pageOf } from "../../lists/cursor-page";
import type { Cursors } from "../../lists/cursors";
import { pageLimit } from "../../lists/page-limit";
import { Query } from "../../lists/query";
import { viewOfDelivery } from "../webhooks/delivery";
import { PAYLOAD_PREFIX, readPayloadFields } from "../webhooks/search-query";
import { readEventId } from "./event-id";
import { eventJson, PARTS_SHOWN, viewOfEvent, viewOfMissed } from "./model";

export type EventHistoryOptions = {
  events: Events;
  cursors: Cursors;
  db: Database;
  /** Makes dispatchers read the queues again, and removes erased payloads from the stream. */
  afterErasure(erased: Erased): void;
};

/** Answers requests about accepted events, and erases their payloads. */
export class EventHistory {
  constructor(private readonly options: EventHistoryOptions) {}

  async list({ principal: { accountId }, allowance }: Call, url: string): Promise<Response> {
    const cursors = this.options.cursors.of<EventPosition>("events", accountId);
    const { limit, cursor, filters } = readEventQuery(url);
    const after = cursors.readCursor(cursor);
    const { data, next } = await this.options.events.page(accountId, { ...filters, limit, after });
    return answer(allowance, 200, { data: data.map(viewOfEvent), cursor: next && cursors.write(next) });
  }

  async get({ principal: { accountId }, allowance }: Call, text: string): Promise<Response> {
    const event = await this.find(accountId, text);
    const [deliveries, missed] = await Promise.all([
      pageOf(this.deliveriesOf(accountId, event.id), PARTS_SHOWN),
      pageOf(this.missedBy(accountId, event.id), PARTS_SHOWN),
    ]);
    return answerText(allowance, 200, eventJson(event, deliveries, missed));
  }

  async listDeliveries(
    { principal: { accountId }, allowance }: Call,
    text: string,
    url: string,
  ): Promise<Response> {
    const { id } = await this.find(accountId, text);
    return answer(allowance, 200, await cursorPage(url, this.deliveriesOf(accountId, id)));
  }

  async listMissed(
    { principal: { accountId }, allowance }: Call,
    text: string,
    url: string,
  ): Promise<Response> {
    const { id } = await this.find(accountId, text);
    return answer(allowance, 200, await cursorPage(url, this.missedBy(accountId, id)));
  }

  async erase({ principal: { accountId }, allowance }: Call, text: string): Promise<Response> {
    const { db, afterErasure } = this.options;
    const { id } = await this.find(accountId, text);
    const erased = await untilNoDeadlock(() => db.transaction((sql) => erasePayloads(sql, accountId, [id])));
    afterErasure(erased);
    return answer(allowance, 200, { erased: true });
  }

  private async find(accountId: AccountId, text: string): Promise<EventDetail> {
    const event = await this.options.events.get(accountId, idInPath("evt", text));
    if (event === null) throw noSuch("evt");
    return event;
  }

  private deliveriesOf(accountId: AccountId, id: EventId): CursorList<DeliverySummary, DeliveryId> {
    const { events, cursors } = this.options;
    return {
      cursors: cursors.of(`deliveries-of/${id}`, accountId),
      keyOf: (delivery) => delivery.id,
      read: (asked) => events.deliveriesOf(accountId, id, asked),
      view: viewOfDelivery,
    };
  }

  private missedBy(accountId: AccountId, id: EventId): CursorList<Missed, EndpointId> {
    const { events, cursors } = this.options;
    return {
      cursors: cursors.of(`missed-by/${id}`, accountId),
      keyOf: ({ endpointId }) => endpointId,
      read: (asked) => events.missedBy(accountId, id, asked),
      view: viewOfMissed,
    };
  }
}

const PARAMETERS = ["limit", "cursor", "event_type", "event_id", "after", "before"] as const;

/** Reads the query of a list of events. Throws 400. */
export function readEventQuery(url: string): {
  limit: number;
  cursor: string | undefined;
  filters: EventQuery;
} {
  const query = new Query(url, PARAMETERS, PAYLOAD_PREFIX);
  const event = query.text("event_type");
  const problem = event === undefined ? null : eventProblem(event);
  if (problem) throw badRequest(`event_type ${problem}`);
  const { after, before } = query.range();
  const filters = {
    event,
    externalId: readEventId(query.text("event_id")) ?? undefined,
    payload: readPayloadFields(query),
    createdFrom: after,
    createdBefore: before,
  };
  return { limit: pageLimit(query.count("limit")), cursor: query.text("cursor"), filters };
}
