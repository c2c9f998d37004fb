import { UsageError } from "../failure";
import { isJson, payloadOf } from "../input";
import { plainJson } from "../plain";
import { sampleOf, withField } from "../sample";
import type { Add } from "./command";
import { ACCEPTED_COLUMNS } from "./send";
import { named } from "./values";

type FieldValue = Readonly<{ path: readonly string[]; value: unknown }>;

export const addTrigger: Add = (parent, session) => {
  parent
    .command("trigger <event-type>")
    .summary("Send a sample of an event type.")
    .description(
      "Send a sample of an event type, to every endpoint that wants it or to one. The sample is the type's example in the catalogue, else " +
        "it is made of the schema, else it is the latest payload that is kept.",
    )
    .option("--endpoint <id>", "send to this endpoint only")
    .option(
      "--data <field=value>",
      "a field with another value, such as order.total=5; JSON or a text; may be repeated",
      readField,
    )
    .action(async (event, { endpoint, data: fields = [] }) => {
      const hermod = await session.hermod();
      const sample = await sampleOf(hermod, event);
      if (sample === null)
        throw new UsageError(`No payload of ${event} is known`, `hermod send '{}' --event ${event}`);
      const data = fields.reduce((before, { path, value }) => withField(before, path, value), sample.data);
      const deliveries =
        endpoint === undefined
          ? (await hermod.events.publish({ event, data })).deliveries
          : [await hermod.webhooks.send({ endpoint_id: endpoint, event, data })];
      const { output } = session;
      if (output.isJson) return output.json({ event, source: sample.source, data, deliveries });
      output.note(`Sent, by its ${sample.source}: ${plainJson(data)}`);
      for (const delivery of deliveries) output.item(delivery, ACCEPTED_COLUMNS);
      if (deliveries.length === 0) output.note("No active endpoint wants this event.");
    });
};

function readField(text: string, before: readonly FieldValue[] = []): readonly FieldValue[] {
  const [name, value] = named(text, "=");
  return [...before, { path: name.split("."), value: isJson(value) ? payloadOf(value) : value }];
}
