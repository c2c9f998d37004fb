import type { AccountEvent, Event, MissedEvent } from "../../client";
import { confirm } from "../confirm";
import type { Columns } from "../output";
import type { Add } from "./command";
import { field } from "./search";
import { filled, wholeNumber } from "./values";
import { ACCOUNT_COLUMN, ALL_ACCOUNTS, DELIVERY_COLUMNS } from "./webhooks";

const COLUMNS: Columns<Event> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["ID", 30, ({ id }) => id],
  ["DELIVERIES", 10, ({ delivery_count }) => delivery_count],
  ["EVENT", 0, ({ event }) => event],
];

const ACCOUNT_COLUMNS: Columns<AccountEvent> = [ACCOUNT_COLUMN, ...COLUMNS];

const MISSED_COLUMNS: Columns<MissedEvent> = [
  ["ENDPOINT", 29, ({ endpoint_id }) => endpoint_id],
  ["REASON", 0, ({ reason }) => reason],
];

const LIMIT = 20;

export const addEvents: Add = (parent, session) => {
  const group = parent
    .command("events")
    .description("Find events, and the endpoints that got them or did not.");
  group
    .command("list")
    .description("List events, newest first.")
    .option("--event <type>", "only events of this type")
    .option("--event-id <id>", "only events with this id of your own", filled)
    .option(
      "--data <field=value>",
      "only with this field in the payload; may be repeated, then all must match",
      field,
    )
    .option("--after <time>", "only events created at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only events created before this time (ISO 8601; UTC by default)")
    .option("--all-accounts", ALL_ACCOUNTS)
    .option("--limit <n>", "show at most this many", wholeNumber(1), LIMIT)
    .action(async ({ event, eventId, data, limit, allAccounts, ...range }) => {
      const hermod = await session.hermod();
      const query = { event_type: event, event_id: eventId, ...range, ...data, limit: Math.min(limit, 100) };
      if (allAccounts) await session.output.list(hermod.admin.events(query), ACCOUNT_COLUMNS, limit);
      else await session.output.list(hermod.events.all(query), COLUMNS, limit);
    });
  group
    .command("get <id>")
    .description("Show an event with its payload, its first deliveries, and endpoints without one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.events.get(id));
    });
  group
    .command("deliveries <id>")
    .description("List the deliveries of an event.")
    .action(async (id) => {
      const hermod = await session.hermod();
      await session.output.all(hermod.events.deliveries(id), DELIVERY_COLUMNS);
    });
  group
    .command("missed <id>")
    .description("List the endpoints that did not get an event, and why.")
    .action(async (id) => {
      const hermod = await session.hermod();
      await session.output.all(hermod.events.missed(id), MISSED_COLUMNS);
    });
  group
    .command("erase <id>")
    .description("Erase an event's payload for good, also in all its deliveries and their resends.")
    .option("--yes", "don't ask for confirmation")
    .action(async (id, { yes }) => {
      await confirm(session, `Erase the payload of ${id} for good?`, yes);
      const hermod = await session.hermod();
      session.output.one(await hermod.events.erasePayload(id));
    });
};
