import type { Endpoint } from "../../client";
import { confirm } from "../confirm";
import { payloadOf, readText } from "../input";
import type { Columns } from "../output";
import { type Add, wholeNumber } from "./command";
import { settingsOf, withSettings } from "./settings";

const COLUMNS: Columns<Endpoint> = [
  ["ID", 29, ({ id }) => id],
  ["ACTIVE", 6, ({ is_active }) => is_active],
  ["FILTER", 20, ({ event_filter }) => event_filter],
  ["URL", 0, ({ url }) => url],
];

export const addEndpoints: Add = (parent, session) => {
  const group = parent.command("endpoints").description("Where webhooks go.");
  withSettings(group.command("create <target>"))
    .description("Register a URL; shows its signing secret this one time.")
    .action(async (target, flags) => {
      const hermod = await session.hermod();
      const { description, ...settings } = settingsOf(flags);
      const named = { url: target, description: description ?? undefined };
      session.output.one(await hermod.endpoints.create({ ...named, ...settings }));
    });
  group
    .command("list")
    .description("All of them, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.list(hermod.endpoints.all(), COLUMNS);
    });
  group
    .command("get <id>")
    .description("Look at one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.get(id));
    });
  withSettings(group.command("update <id>"))
    .description("Change one; what is not given stays. Headers and metadata are replaced as a whole.")
    .option("--no-description", "remove it")
    .option("--no-header", "remove all headers")
    .option("--no-metadata", "remove all of it")
    .option("--no-feed", "gets events again")
    .option("--target <url>", "where its webhooks go")
    .option("--active", "send to it")
    .option("--no-active", "keep what is sent to it waiting")
    .action(async (id, { target, active, ...flags }) => {
      const hermod = await session.hermod();
      const changes = { url: target, is_active: active, ...settingsOf(flags) };
      session.output.one(await hermod.endpoints.update(id, changes));
    });
  for (const [name, isActive] of [["pause", false] as const, ["resume", true] as const]) {
    group
      .command(`${name} <id>`)
      .description(
        isActive ? "Send to one again, first what waits." : "Keep what is sent to one waiting, in order.",
      )
      .action(async (id) => {
        const hermod = await session.hermod();
        session.output.one(await hermod.endpoints.update(id, { is_active: isActive }));
      });
  }
  group
    .command("stats <id>")
    .description("Rates, latencies and backlog of one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.stats(id));
    });
  group
    .command("test <id> [payload]")
    .description("Send one a sample event, `hermod.test`, or a payload of your own as such.")
    .option("--file <path>", "read the payload from a file; `-` is standard input")
    .action(async (id, payload, { file }) => {
      const isGiven = payload !== undefined || file !== undefined;
      const data = isGiven ? payloadOf(await readText(session, payload, file)) : undefined;
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.test(id, { data }));
    });
  group
    .command("delete <id>")
    .description("Delete one and cancel what is pending for it.")
    .option("--yes", "don't ask")
    .action(async (id, { yes }) => {
      await confirm(session, `Delete ${id} and cancel what is pending for it?`, yes);
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.delete(id));
    });
  group
    .command("rotate-secret <id>")
    .description("Give one a new signing secret; shows it this one time.")
    .option("--overlap <seconds>", "how long the old one signs too; a day unless given", wholeNumber(0))
    .action(async (id, { overlap }) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.rotateSecret(id, { overlap }));
    });
};
