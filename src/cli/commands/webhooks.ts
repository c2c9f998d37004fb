import type { Delivery } from "../../client";
import type { Columns } from "../output";
import { type Add, wholeNumber } from "./command";
import { readStatus } from "./status";

/** How deliveries are listed and followed. */
export const DELIVERY_COLUMNS: Columns<Delivery> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["ID", 29, ({ id }) => id],
  ["ENDPOINT", 29, ({ endpoint_id }) => endpoint_id],
  ["STATUS", 9, ({ status }) => status],
  ["TRIES", 5, ({ attempt_count }) => attempt_count],
  ["HTTP", 4, ({ response_status }) => response_status],
  ["EVENT", 0, ({ event }) => event],
];

const LIMIT = 20;

export const addWebhooks: Add = (parent, session) => {
  const group = parent.command("webhooks").description("What became of what was sent.");
  group
    .command("list")
    .description("Deliveries, newest first.")
    .option("--status <status>", "only pending, delivered, failed or cancelled ones", readStatus)
    .option("--event <type>", "only this event type")
    .option("--endpoint <id>", "only to this endpoint")
    .option("--after <time>", "only from this time on, ISO 8601")
    .option("--before <time>", "only from before this time, ISO 8601")
    .option("--limit <n>", "how many at most", wholeNumber(1), LIMIT)
    .action(async ({ status, event, endpoint, after, before, limit }) => {
      const hermod = await session.hermod();
      const page = Math.min(limit, 100);
      const query = { status, event_type: event, endpoint_id: endpoint, after, before, limit: page };
      let left = limit;
      for await (const delivery of hermod.webhooks.all(query)) {
        session.output.item(delivery, DELIVERY_COLUMNS);
        if (--left === 0) return;
      }
    });
  group
    .command("get <id>")
    .description("Look at one, with its payload and every attempt.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.webhooks.get(id));
    });
};
