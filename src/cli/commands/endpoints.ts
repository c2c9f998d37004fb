import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Endpoint } from "../../client";
import type { Columns } from "../output";
import { type Add, wholeNumber } from "./command";
import { numberOrNone, ordering, tuned, waits } from "./tuning";

const COLUMNS: Columns<Endpoint> = [
  ["ID", 29, ({ id }) => id],
  ["ACTIVE", 6, ({ is_active }) => is_active],
  ["FILTER", 20, ({ event_filter }) => event_filter],
  ["URL", 0, ({ url }) => url],
];

export const addEndpoints: Add = (parent, session) => {
  const group = parent.command("endpoints").description("Where webhooks go.");
  group
    .command("create <target>")
    .description("Register a URL; shows its signing secret this one time.")
    .option("--description <text>", "for people")
    .option("--filter <pattern>", "an event type, `<resource>.*`, or `*`", "*")
    .option("--header <name: value>", "goes along with every request; several may be given", header)
    .option("--ordering <mode>", "ordered, or unordered: those that wait let others pass", ordering)
    .option("--max-in-flight <n>", "attempts at once while unordered", wholeNumber(1))
    .option("--rate-limit <n>", "attempts a second at most, or `none`", numberOrNone)
    .option("--timeout <ms>", "for an attempt, or `none` for the service's own", numberOrNone)
    .option("--retry <ms,ms>", "the waits after failed attempts, or `none` for the service's own", waits)
    .action(async (target, { description, filter, header: headers, ...tuning }) => {
      const hermod = await session.hermod();
      const wanted = { url: target, description, event_filter: filter, headers, ...tuned(tuning) };
      session.output.one(await hermod.endpoints.create(wanted));
    });
  group
    .command("list")
    .description("All of them, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.all(hermod.endpoints.all(), COLUMNS);
    });
  group
    .command("get <id>")
    .description("Look at one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.get(id));
    });
  group
    .command("update <id>")
    .description("Change one; what is not given stays.")
    .option("--target <url>", "where its webhooks go")
    .option("--description <text>", "for people")
    .option("--filter <pattern>", "an event type, `<resource>.*`, or `*`")
    .option("--header <name: value>", "replaces all headers; several may be given", header)
    .option("--ordering <mode>", "ordered, or unordered: those that wait let others pass", ordering)
    .option("--max-in-flight <n>", "attempts at once while unordered", wholeNumber(1))
    .option("--rate-limit <n>", "attempts a second at most, or `none`", numberOrNone)
    .option("--timeout <ms>", "for an attempt, or `none` for the service's own", numberOrNone)
    .option("--retry <ms,ms>", "the waits after failed attempts, or `none` for the service's own", waits)
    .option("--active", "send to it")
    .option("--no-active", "keep what is sent to it waiting")
    .action(async (id, { target, description, filter, header: headers, active, ...tuning }) => {
      const hermod = await session.hermod();
      const fields = { url: target, description, event_filter: filter, headers, is_active: active };
      session.output.one(await hermod.endpoints.update(id, { ...fields, ...tuned(tuning) }));
    });
  group
    .command("stats <id>")
    .description("Rates, latencies and backlog of one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.stats(id));
    });
  group
    .command("test <id>")
    .description("Send one a sample event, `hermod.test`.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.endpoints.test(id));
    });
  group
    .command("delete <id>")
    .description("Delete one and cancel what is pending for it.")
    .action(async (id) => {
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

function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const colon = text.indexOf(":");
  if (colon < 1) throw new InvalidArgumentError("It must be `name: value`.");
  return { ...before, [text.slice(0, colon).trim()]: text.slice(colon + 1).trim() };
}
