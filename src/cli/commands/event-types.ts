import type { EventType, SchemaVersion } from "../../client";
import { confirm } from "../confirm";
import { payloadOf, readText } from "../input";
import type { Columns } from "../output";
import type { Add } from "./command";
import { oneOf } from "./values";

const COLUMNS: Columns<EventType> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["SCHEMA", 6, ({ schema }) => schema !== null],
  ["EVENT TYPE", 0, ({ event_type }) => event_type],
];

const readFormat = oneOf<"openapi" | "asyncapi">({ openapi: true, asyncapi: true });

const VERSION_COLUMNS: Columns<SchemaVersion> = [
  ["VERSION", 7, ({ version }) => version],
  ["CREATED", 24, ({ created_at }) => created_at],
  ["SCHEMA", 0, ({ schema }) => JSON.stringify(schema)],
];

export const addEventTypes: Add = (parent, session) => {
  const group = parent
    .command("event-types")
    .description("Manage event types and the schemas of their payloads.");
  group
    .command("list")
    .description("List the event types, newest first.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.list(hermod.eventTypes.all(), COLUMNS);
    });
  group
    .command("get <name>")
    .description("Show an event type with its schema.")
    .action(async (name) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.get(name));
    });
  group
    .command("set <name>")
    .description("Describe an event type. It need not exist yet.")
    .option("--description <text>", "a description for people")
    .option("--no-description", "remove the description")
    .option("--group <name>", "the group that lists show it in")
    .option("--no-group", "remove the group")
    .option("--example <json>", "a sample payload, which tests send")
    .option("--no-example", "remove the example")
    .option("--deprecated", "receivers should no longer use it")
    .option("--no-deprecated", "receivers may use it")
    .action(async (name, { description, group: filedUnder, example, deprecated }) => {
      const hermod = await session.hermod();
      const changes = {
        description: description === false ? null : description,
        group: filedUnder === false ? null : filedUnder,
        example:
          typeof example === "string"
            ? payloadOf(example, "The example")
            : example === false
              ? null
              : undefined,
        deprecated,
      };
      session.output.one(await hermod.eventTypes.put(name, changes));
    });
  group
    .command("versions <name>")
    .description("List the latest versions of the schema, newest first.")
    .action(async (name) => {
      const hermod = await session.hermod();
      await session.output.list(await hermod.eventTypes.versions(name), VERSION_COLUMNS);
    });
  group
    .command("check-schema <name> [schema]")
    .description("List the payloads of the last day that a schema would have refused.")
    .option("--file <path>", "read the schema from a file; `-` is standard input")
    .action(async (name, schema, { file }) => {
      const wanted = payloadOf(await readText(session, schema, file), "The schema");
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.checkSchema(name, wanted));
    });
  group
    .command("import [document]")
    .description(
      "Describe event types by an OpenAPI 3.1 document with webhooks, or an AsyncAPI 3 document, as JSON.",
    )
    .option("--file <path>", "read the document from a file; `-` is standard input")
    .action(async (document, { file }) => {
      const wanted = payloadOf(await readText(session, document, file), "The document");
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.import(wanted));
    });
  group
    .command("export <format>")
    .description("Write the described event types as a document: openapi or asyncapi.")
    .action(async (format) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.export(readFormat(format)));
    });
  group
    .command("set-schema <name> [schema]")
    .summary("Refuse payloads that don't match a schema.")
    .description(
      "Set a JSON Schema, from the argument, a file or standard input. Payloads of this type that don't match it are " +
        "then refused. The event type need not exist yet.",
    )
    .option("--file <path>", "read the schema from a file; `-` is standard input")
    .action(async (name, schema, { file }) => {
      const wanted = payloadOf(await readText(session, schema, file), "The schema");
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.putSchema(name, wanted));
    });
  group
    .command("delete-schema <name>")
    .description("Remove the schema, so that any payload is accepted again.")
    .option("--yes", "don't ask for confirmation")
    .action(async (name, { yes }) => {
      await confirm(session, `Delete the schema of ${name}?`, yes);
      const hermod = await session.hermod();
      session.output.one(await hermod.eventTypes.deleteSchema(name));
    });
};
