import { Type } from "@sinclair/typebox";
import type { Call } from "../../api/call";
import { badRequest } from "../../api/errors";
import type { Cursors, ListCursors } from "../../api/lists/cursors";
import { PAYLOAD_PREFIX, Query } from "../../api/lists/query";
import { eventText } from "../../api/live/event-text";
import { LIVE, type LiveStreams } from "../../api/live/live-streams";
import { words } from "../../api/openapi/schema";
import type { Deliveries } from "../../deliveries/deliveries";
import type { IteratorPosition } from "../../deliveries/lists/cursor";
import { DeliveryTail, MAX_WATCHED, type TailItem } from "../../deliveries/tail";
import { DELIVERY_STATUSES } from "../../domain/delivery-status";
import type { Endpoints } from "../../endpoints/endpoint";
import { viewOfListed } from "./delivery";
import { eventParameter, payloadParameter, readFilters } from "./delivery-filters";
import { seenDeliveries } from "./portal-view";
import { readPayloadFields } from "./search-query";

export type TailOptions = {
  deliveries: Deliveries;
  endpoints: Pick<Endpoints, "feedsAmong">;
  cursors: Cursors;
  liveStreams: LiveStreams;
};

export const TAIL_DESCRIPTION = `
Sends each delivery once, as \`delivery\`, in the order of acceptance. While it is pending, and among the account's latest
${MAX_WATCHED} of this stream, its changes follow as \`update\`. With \`status\`, a delivery is sent once it has this status.

Nothing is left out: after an interruption, send the \`id\` of the last event as \`Last-Event-ID\` or \`iterator\`, as browsers do.
The iterator of \`GET /webhooks\` works as well. Changes of deliveries from before the interruption are not sent.

${LIVE}`.trim();

export const TAIL_PARAMETERS = {
  iterator: Type.String({
    minLength: 1,
    description: "`now` (the default), `start`, the id of an event, or the iterator of a list.",
  }),
  event_type: eventParameter("Only deliveries of this event type."),
  endpoint_id: Type.String({ minLength: 1, description: "Only deliveries to this endpoint." }),
  status: words("DeliveryStatus", DELIVERY_STATUSES, {
    description: "Only deliveries in this status, once they have it.",
  }),
  "data.<field>": payloadParameter,
};

const PARAMETERS = ["iterator", "event_type", "endpoint_id", "status"] as const;

/** Answers GET /webhooks/tail: the account's deliveries as they are accepted, and their changes. */
export async function tailOfWebhooks(options: TailOptions, call: Call, request: Request): Promise<Response> {
  const { deliveries, endpoints, cursors, liveStreams } = options;
  const { accountId } = call.principal;
  const query = new Query(request.url, PARAMETERS, PAYLOAD_PREFIX);
  const filters = { ...readFilters(query), payload: readPayloadFields(query) };
  const iterator = query.text("iterator") ?? "now";
  const tokens = cursors.of<IteratorPosition>("webhooks", accountId);
  const from = startOf(request.headers.get("last-event-id") ?? iterator, tokens);
  const tail = new DeliveryTail(deliveries, accountId, filters, from);
  return liveStreams.answer(call, request, {
    next: async () => {
      const { items: all, more } = await tail.next();
      const items = await seenDeliveries(
        call.principal,
        endpoints,
        all,
        ({ delivery }) => delivery.endpointId,
      );
      return { text: items.map((item) => textOf(item, tokens)).join(""), more };
    },
    get position() {
      return tail.position === null ? undefined : tokens.write(tail.position);
    },
  });
}

function textOf({ kind, delivery, position }: TailItem, tokens: ListCursors<IteratorPosition>): string {
  const json = JSON.stringify(viewOfListed(delivery, undefined));
  return eventText({ name: kind, json, id: position === null ? undefined : tokens.write(position) });
}

function startOf(text: string, tokens: ListCursors<IteratorPosition>): "start" | "now" | IteratorPosition {
  if (text === "start" || text === "now") return text;
  const position = tokens.readIterator(text);
  if ("transaction" in position) return position;
  throw badRequest("iterator must be start, now, an iterator or the id of an event, not a cursor");
}
