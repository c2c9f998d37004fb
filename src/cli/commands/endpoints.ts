import type { Endpoint, ListedDelivery } from "../../client";
import { itemsOf } from "../../client/pages";
import { confirm } from "../confirm";
import { payloadOf, readText } from "../input";
import type { Columns } from "../output";
import type { Add } from "./command";
import { readNote, settingsOf, withSettings } from "./settings";
import { filled, oneOf, wholeNumber } from "./values";

const readHealth = oneOf<Endpoint["health"]["state"]>({
  healthy: true,
  failing: true,
  blocked: true,
  disabled: true,
  paused: true,
});

const COLUMNS: Columns<Endpoint> = [
  ["ID", 29, ({ id }) => id],
  ["HEALTH", 8, ({ health }) => health.state],
  ["FILTER", 20, ({ event_filter }) => event_filter],
  ["URL", 0, ({ url }) => url],
];

export const QUEUE_COLUMNS: Columns<ListedDelivery> = [
  ["ID", 29, ({ id }) => id],
  ["SEQUENCE", 10, ({ sequence }) => sequence],
  ["EVENT", 20, ({ event }) => event],
  ["ATTEMPTS", 8, ({ attempt_count }) => attempt_count],
  ["WAITS FOR", 0, ({ waiting_for }) => waiting_for?.reason],
];

export const addEndpoints: Add = (parent, session) => {
  const group = parent.command("endpoints").description("Manage the receivers of webhooks.");
  withSettings(group.command("create <target>"))
    .description("Register a URL, and show its signing secret, only this once.")
    .option("--external-id <id>", "your own id for the endpoint", filled)
    .action(async (target, { externalId, ...flags }) => {
      const hermod = await session.hermod();
      const { description, ...settings } = settingsOf(flags);
      const named = { url: target, description: description ?? undefined, external_id: externalId };
      session.output.one(await hermod.endpoints.create({ ...named, ...settings }));
    });
  withSettings(group.command("set <external-id>"))
    .description(
      "Create the endpoint with this external id, or change it; options that you leave out change nothing.",
    )
    .option("--target <url>", "its URL; required to create it")
    .action(async (externalId, { target, ...flags }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.put(externalId, { url: target, ...settingsOf(flags) }));
    });
  group
    .command("list")
    .description("List the endpoints, newest first.")
    .option("--health <state>", "only endpoints in this state", readHealth)
    .option("--search <text>", "only with this text in the description, URL, external id or metadata", filled)
    .option("--metadata <name=value>", "only with this note; may be repeated, then all must match", readNote)
    .option("--all-accounts", "endpoints of all accounts; needs the permission accounts:act")
    .action(async ({ health, search, metadata = {}, allAccounts }) => {
      const hermod = await session.hermod();
      const entries = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]);
      const query = { health, q: search, ...Object.fromEntries(entries) };
      const all = allAccounts ? hermod.admin.endpoints(query) : hermod.endpoints.all(query);
      await session.output.list(all, COLUMNS);
    });
  group
    .command("get <id>")
    .description("Show an endpoint.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.get(id));
    });
  withSettings(group.command("update <id>"))
    .description(
      "Change an endpoint; options that you leave out change nothing. Headers and metadata are replaced as a whole.",
    )
    .option("--no-description", "remove the description")
    .option("--no-header", "remove all headers")
    .option("--no-metadata", "remove all metadata")
    .option("--no-payload-filter", "remove the condition on events")
    .option("--no-feed", "receive events again")
    .option("--target <url>", "its new URL")
    .option("--active", "resume sending to it")
    .option("--no-active", "pause the endpoint; its deliveries wait")
    .action(async (id, { target, active, ...flags }) => {
      const hermod = await session.hermod();
      const changes = { url: target, is_active: active, ...settingsOf(flags) };
      session.output.one(await hermod.endpoints.update(id, changes));
    });
  for (const [name, isActive] of [["pause", false] as const, ["resume", true] as const]) {
    group
      .command(`${name} <id>`)
      .description(
        isActive
          ? "Resume sending to an endpoint, beginning with its waiting deliveries."
          : "Pause an endpoint; its deliveries wait, in order.",
      )
      .action(async (id) => {
        const hermod = await session.hermod();
        session.output.one(await hermod.endpoints.update(id, { is_active: isActive }));
      });
  }
  group
    .command("retry <id>")
    .description("Attempt now the deliveries that wait for a retry.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.retry(id));
    });
  group
    .command("queue <id>")
    .description("List an endpoint's pending deliveries, first in order first.")
    .option("--ordering-key <key>", "only deliveries with this ordering key", filled)
    .action(async (id, { orderingKey }) => {
      const hermod = await session.hermod();
      const query = { ordering_key: orderingKey, limit: 100 };
      const all = itemsOf((cursor) => hermod.endpoints.queue(id, { ...query, cursor }));
      await session.output.list(all, QUEUE_COLUMNS);
    });
  group
    .command("stats <id>")
    .description("Show an endpoint's rates, latencies and backlog.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.stats(id));
    });
  group
    .command("test <id> [payload]")
    .description("Send a test event, `hermod.test`, with a sample payload or your own.")
    .option("--file <path>", "read the payload from a file; `-` is standard input")
    .option("--event <type>", "send the example of this event type")
    .action(async (id, payload, { file, event }) => {
      const isGiven = payload !== undefined || file !== undefined;
      const data = isGiven ? payloadOf(await readText(session, payload, file)) : undefined;
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.test(id, { data, event }));
    });
  group
    .command("test-filter <id> [filter]")
    .description("List the kept events that an endpoint would have got, with its filter or with another one.")
    .option("--after <time>", "only events created at or after this time (ISO 8601; UTC by default)")
    .action(async (id, filter, { after }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.testFilter(id, { filter, after }));
    });
  group
    .command("delete <id>")
    .description("Delete an endpoint, and cancel its pending deliveries.")
    .option("--yes", "don't ask for confirmation")
    .action(async (id, { yes }) => {
      await confirm(session, `Delete ${id} and cancel its pending deliveries?`, yes);
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.delete(id));
    });
  group
    .command("rotate-secret <id>")
    .description("Replace the signing secret, and show the new one, only this once.")
    .option("--overlap <seconds>", "how long the old secret also signs (default: a day)", wholeNumber(0))
    .action(async (id, { overlap }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.rotateSecret(id, { overlap }));
    });
};
