import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { acceptOne } from "../../api/accepting";
import { answer, answerText } from "../../api/answer";
import { Batch } from "../../api/batch";
import { BATCH_EFFORT } from "../../api/batch-model";
import type { FailureLog } from "../../api/failure-log";
import type { Guard } from "../../api/guard";
import type { Idempotency } from "../../api/idempotency/idempotency";
import { idInPath, noSuch } from "../../api/ids";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { type CursorList, cursorPage, pageOf } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { operation } from "../../api/openapi/operation";
import { written } from "../../api/openapi/schema";
import type { DeliverySummary } from "../../deliveries/delivery";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../../domain/ids";
import { filterErrors } from "../../event-types/filter/filter-errors";
import type { RulesThreads } from "../../event-types/rules-threads";
import type { EventDetail } from "../../events/event";
import type { Events } from "../../events/events";
import type { EventPosition } from "../../events/list";
import { MAX_ENDPOINTS } from "../../intake/events/audience";
import { MAX_DELIVERIES } from "../../intake/new-delivery";
import { viewOfDelivery } from "../webhooks/delivery";
import { DETAIL_EXAMPLE } from "../webhooks/delivery-detail";
import { ERASED, type ErasingOptions, erase } from "../webhooks/erasing";
import { MAX_PAYLOAD_FIELDS } from "../webhooks/search-query";
import { EVENT_EXAMPLE, EventPage, viewOfEvent } from "./event";
import { PublishEvent, PublishEvents } from "./event-body";
import {
  EVENT_DETAIL_EXAMPLE,
  EventDeliveries,
  EventDetailModel,
  eventJson,
  MissedPage,
  type MissedWithError,
  PARTS_SHOWN,
  viewOfMissed,
} from "./event-detail";
import { EVENT_FILTERS, readEventQuery } from "./list-query";
import { EventResults, PUBLISHED_EXAMPLE, PublishedModel } from "./published";
import { type PublishingOptions, publishing } from "./publishing";

export type EventOptions = PublishingOptions &
  ErasingOptions & {
    events: Events;
    cursors: Cursors;
    idempotency: Idempotency;
    failures: FailureLog;
    rules: Pick<RulesThreads, "filter">;
  };

const tag = "Events";
const NEW_EVENT_EXAMPLE = { event: DETAIL_EXAMPLE.event, data: DETAIL_EXAMPLE.data };
const path = { id: { description: "The event's id.", example: EVENT_EXAMPLE.id } };

/** /events */
export function eventRoutes(guard: Guard, options: EventOptions) {
  const { events, cursors, rules } = options;
  const publishes = publishing(options);
  const batch = new Batch(publishes, { ...options, items: "events", item: "event" });
  const find = async (accountId: AccountId, text: string): Promise<EventDetail> => {
    const event = await events.get(accountId, idInPath("evt", text));
    if (event === null) throw noSuch("evt");
    return event;
  };
  const deliveriesOf = (accountId: AccountId, id: EventId): CursorList<DeliverySummary, DeliveryId> => ({
    cursors: cursors.of(`deliveries-of/${id}`, accountId),
    keyOf: (delivery) => delivery.id,
    read: (asked) => events.deliveriesOf(accountId, id, asked),
    view: viewOfDelivery,
  });
  const missedBy = (accountId: AccountId, event: EventDetail): CursorList<MissedWithError, EndpointId> => ({
    cursors: cursors.of(`missed-by/${event.id}`, accountId),
    keyOf: ({ endpointId }) => endpointId,
    read: async (asked) => {
      const missed = await events.missedBy(accountId, event.id, asked);
      const errors = await filterErrors(rules, accountId, event, missed);
      return missed.map((each) => ({ ...each, error: errors.get(each.endpointId) }));
    },
    view: viewOfMissed,
  });
  return new Elysia({ prefix: "/events" })
    .use(guard)
    .post(
      "",
      async ({ call, request }) => acceptOne(publishes, call, request),
      operation({
        id: "publishEvent",
        permission: "webhooks:write",
        tag,
        summary: "Send an event to every endpoint that wants it",
        description:
          "Creates one delivery for every endpoint of the account whose filter the event matches, except endpoints with " +
          "`feed`. Creates all deliveries or none. Each gets its place in its endpoint's order and counts against the month's limit. " +
          "An event that no endpoint wants creates no delivery and is not an error: it is kept like any other. " +
          `At most ${written(MAX_ENDPOINTS)} endpoints. The payload is stored once for all of them.`,
        body: { schema: PublishEvent, isRaw: true, example: NEW_EVENT_EXAMPLE },
        success: {
          status: 201,
          description: "The event and its deliveries.",
          schema: PublishedModel,
          example: PUBLISHED_EXAMPLE,
        },
      }),
    )
    .post(
      "/batch",
      async ({ call, request }) => batch.handle(call, request),
      operation({
        id: "publishEvents",
        permission: "webhooks:write",
        tag,
        summary: "Send many events to every endpoint that wants them",
        description:
          "Works as if you sent the events one after another. Each event is accepted with all its deliveries, or refused with none. " +
          `One request makes at most ${written(MAX_DELIVERIES)} deliveries. The first event that exceeds this gets a 400, and so do all ` +
          "events after it. Send them in another request, or repeat this one with the same `Idempotency-Key`. " +
          BATCH_EFFORT,
        body: {
          isRaw: true,
          schema: PublishEvents,
          example: { events: [NEW_EVENT_EXAMPLE] },
        },
        success: {
          status: 200,
          description: "The outcome of each item.",
          schema: EventResults,
          example: { results: [{ status: 201, event: PUBLISHED_EXAMPLE }] },
        },
      }),
    )
    .get(
      "",
      async ({ call: { principal, allowance }, request }) => {
        const { accountId } = principal;
        const positions = cursors.of<EventPosition>("events", accountId);
        const { limit, cursor, filters } = readEventQuery(request.url);
        const after = positions.readCursor(cursor);
        const { data, next } = await events.page(accountId, { ...filters, limit, after });
        return answer(allowance, 200, { data: data.map(viewOfEvent), cursor: next && positions.write(next) });
      },
      operation({
        id: "listEvents",
        permission: "webhooks:read",
        tag,
        summary: "List events",
        description:
          "Newest first: every event that was accepted, whether an endpoint wanted it or not. `data.<field>` works as in " +
          `\`GET /webhooks\`: up to ${MAX_PAYLOAD_FIELDS} fields, a quarter of a second a request, so that a page may have fewer items than you ` +
          "asked for and still a `cursor`.",
        query: Type.Object({
          ...CURSOR_PARAMETERS,
          ...EVENT_FILTERS,
        }),
        success: {
          status: 200,
          description: "A page.",
          schema: EventPage,
          example: { data: [EVENT_EXAMPLE], cursor: null },
        },
      }),
    )
    .get(
      "/:id",
      async ({ call: { principal, allowance }, params }) => {
        const { accountId } = principal;
        const event = await find(accountId, params.id);
        const [deliveries, missed] = await Promise.all([
          pageOf(deliveriesOf(accountId, event.id), PARTS_SHOWN),
          pageOf(missedBy(accountId, event), PARTS_SHOWN),
        ]);
        return answerText(allowance, 200, eventJson(event, deliveries, missed));
      },
      operation({
        id: "getEvent",
        permission: "webhooks:read",
        tag,
        summary: "Get an event",
        description:
          `Shows its deliveries, and the account's endpoints without one and why: the first ${PARTS_SHOWN} of each, with a cursor if there ` +
          "are more.",
        path,
        success: {
          status: 200,
          description: "The event.",
          schema: EventDetailModel,
          example: EVENT_DETAIL_EXAMPLE,
        },
        errors: [404],
      }),
    )
    .get(
      "/:id/deliveries",
      async ({ call: { principal, allowance }, params, request }) => {
        const { accountId } = principal;
        const { id } = await find(accountId, params.id);
        return answer(allowance, 200, await cursorPage(request.url, deliveriesOf(accountId, id)));
      },
      operation({
        id: "listEventDeliveries",
        permission: "webhooks:read",
        tag,
        summary: "List an event's deliveries",
        description:
          "The oldest endpoint's delivery first, then the deliveries that a replay of missing events added.",
        path,
        query: Type.Object(CURSOR_PARAMETERS),
        success: {
          status: 200,
          description: "A page.",
          schema: EventDeliveries,
          example: { data: EVENT_DETAIL_EXAMPLE.deliveries, cursor: null },
        },
        errors: [404],
      }),
    )
    .get(
      "/:id/missed",
      async ({ call: { principal, allowance }, params, request }) => {
        const { accountId } = principal;
        const event = await find(accountId, params.id);
        return answer(allowance, 200, await cursorPage(request.url, missedBy(accountId, event)));
      },
      operation({
        id: "listMissedEndpoints",
        permission: "webhooks:read",
        tag,
        summary: "List the endpoints that did not get an event",
        description:
          "The oldest endpoint first, each with the reason. `POST /endpoints/{id}/replay` with `missing` brings an endpoint the events " +
          "that it wants and did not get.",
        path,
        query: Type.Object(CURSOR_PARAMETERS),
        success: {
          status: 200,
          description: "A page.",
          schema: MissedPage,
          example: { data: EVENT_DETAIL_EXAMPLE.missed, cursor: null },
        },
        errors: [404],
      }),
    )
    .delete(
      "/:id/payload",
      async ({ call, params }) => {
        const { id } = await find(call.principal.accountId, params.id);
        return erase(options, call, async () => id);
      },
      operation({
        id: "eraseEventPayload",
        permission: "webhooks:write",
        audit: { shows: [] },
        tag,
        summary: "Erase an event's payload",
        description:
          "Removes the payload for good from the event, from all its deliveries and from their resends. Cancels pending deliveries with the " +
          "reason `erased`; an attempt that is under way can't be recalled. Erasing again changes nothing.",
        path,
        success: ERASED,
        errors: [404],
      }),
    );
}
