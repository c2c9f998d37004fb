import type { Add } from "./command";
import { groupOf } from "./group";
import { settingsOf, withSettings } from "./settings";
import { filled } from "./values";

export const addEndpoints: Add = (parent, session) => {
  const group = groupOf(parent, "endpoints");
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
};
