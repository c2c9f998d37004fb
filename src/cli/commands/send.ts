import type { AcceptedDelivery } from "../../client";
import { UsageError } from "../failure";
import { payloadOf, readText } from "../input";
import type { Columns } from "../output";
import type { Add } from "./command";
import { filled } from "./values";

/** The columns of deliveries that were just accepted. */
export const ACCEPTED_COLUMNS: Columns<AcceptedDelivery> = [
  ["ID", 29, ({ id }) => id],
  ["ENDPOINT", 29, ({ endpoint_id }) => endpoint_id],
  ["STATUS", 9, ({ status }) => status],
  ["EVENT", 0, ({ event }) => event],
];

export const addSend: Add = (parent, session) => {
  parent
    .command("send [payload]")
    .summary("Send a payload to an endpoint, or an event to every endpoint that wants it.")
    .description(
      "Send JSON from the argument, a file or standard input: to one endpoint, or as an event to every " +
        "endpoint that wants it. Receivers get exactly this text.",
    )
    .option("--endpoint <id>", "send to this endpoint only")
    .option("--event <type>", "the event type, such as `user.created`")
    .option("--ordering-key <key>", "groups deliveries that keep their order, such as a customer's id")
    .option(
      "--deliver-after <when>",
      "seconds from now, such as `3600`, or a time, such as `2026-12-24T18:00:00Z`",
    )
    .option("--event-id <id>", "your own id for the event, which is accepted only once in 24 hours", filled)
    .option("--file <path>", "read the payload from a file; `-` is standard input")
    .option("--idempotency-key <key>", "sends the payload with the same key only once in 24 hours", filled)
    .action(
      async (payload, { endpoint, event, eventId, orderingKey, deliverAfter, file, idempotencyKey }) => {
        if (endpoint !== undefined && eventId !== undefined)
          throw new UsageError("--event-id is for events, which go without --endpoint");
        const data = payloadOf(await readText(session, payload, file));
        const content = {
          event,
          ordering_key: orderingKey,
          ...(deliverAfter && { deliver_after: deliverAfter }),
          data,
        };
        const hermod = await session.hermod();
        if (endpoint !== undefined) {
          const webhook = { endpoint_id: endpoint, ...content };
          session.output.item(await hermod.webhooks.send(webhook, { idempotencyKey }), ACCEPTED_COLUMNS);
          return;
        }
        const { deliveries } = await hermod.events.publish(
          { ...content, event_id: eventId },
          { idempotencyKey },
        );
        for (const delivery of deliveries) session.output.item(delivery, ACCEPTED_COLUMNS);
        if (deliveries.length === 0) session.output.note("No active endpoint wants this event.");
      },
    );
};
