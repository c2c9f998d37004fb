import type { Deliveries } from "../../../deliveries/deliveries";
import type { IteratorPosition } from "../../../deliveries/lists/cursor";
import { DeliveryTail, type TailItem } from "../../../deliveries/tail";
import type { DeliveryNotifier } from "../../../stream/delivery-notifier";
import type { Call } from "../../call";
import { badRequest } from "../../errors";
import type { Cursors, ListCursors } from "../../lists/cursors";
import { eventText } from "../../live/event-text";
import type { LiveStreams } from "../../live/live-streams";
import { readTailQuery } from "./list-query";
import { viewOfListed } from "./model";

export type TailOptions = {
  deliveries: Deliveries;
  cursors: Cursors;
  liveStreams: LiveStreams;
  notifier: Pick<DeliveryNotifier, "listen">;
};

/** Answers GET /webhooks/tail: the account's deliveries as they are accepted, and their changes. */
export function tailOfWebhooks(options: TailOptions, call: Call, request: Request): Response {
  const { deliveries, cursors, liveStreams, notifier } = options;
  const { accountId } = call.principal;
  const { iterator, filters } = readTailQuery(request.url);
  const tokens = cursors.of<IteratorPosition>("webhooks", accountId);
  const from = startOf(request.headers.get("last-event-id") ?? iterator, tokens);
  const tail = new DeliveryTail(deliveries, accountId, filters, from);
  return liveStreams.answer(call, request, {
    next: async () => {
      const { items, more } = await tail.next();
      return { text: items.map((item) => textOf(item, tokens)).join(""), more };
    },
    get position() {
      return tail.position === null ? undefined : tokens.write(tail.position);
    },
    listen: (wake) => notifier.listen(accountId, wake),
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
