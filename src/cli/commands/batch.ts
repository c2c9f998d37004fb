import type { EventResults, Hermod, WebhookResults } from "../../client";
import { CommandFailed, EXIT, UsageError } from "../failure";
import { payloadOf, readText } from "../input";
import type { Cell } from "../output";
import type { Add } from "./command";
import { filled } from "./values";

/** Limits of one request. The size is below the API's 1 MiB, since the JSON around the items counts too. */
const MAX_ITEMS = 1_000;
const MAX_BYTES = 1_000_000;

type SentItem = WebhookResults["results"][number] | EventResults["results"][number];
type BatchLine = { text: string; number: number };

export const addBatch: Add = (parent, session) => {
  parent
    .command("batch [file]")
    .summary("Send many webhooks or events, one JSON object per line.")
    .description(
      "Send many, from a file or standard input. Each line is a JSON object `{endpoint_id, event, data}`, or with --events " +
        "`{event, data}`. Shows the result of each, in the same order.",
    )
    .option("--events", "send events, each to every endpoint that wants it")
    .option("--idempotency-key <key>", "sends the same lines with the same key only once in 24 hours", filled)
    .action(async (file, { events = false, idempotencyKey }) => {
      const lines = linesOf(await readText(session, undefined, file));
      const hermod = await session.hermod();
      let refused = 0;
      for (const group of groupsOf(lines)) {
        for (const [i, result] of (await sendGroup(hermod, group, events, idempotencyKey)).entries()) {
          const line = group[i]?.number;
          session.output.item({ line, ...result }, [
            ["LINE", 6, () => line],
            ["STATUS", 6, () => result.status],
            ["RESULT", 0, () => resultText(result)],
          ]);
          if (result.error) refused++;
        }
      }
      if (refused > 0) throw new CommandFailed(`${refused} of ${lines.length} were refused`, EXIT.refused);
    });
};

async function sendGroup(
  hermod: Hermod,
  group: readonly BatchLine[],
  isEvents: boolean,
  idempotencyKey: string | undefined,
): Promise<readonly SentItem[]> {
  // Sends the lines unchanged; the service validates each.
  const items = group.map(({ text, number }) => payloadOf(text, `Line ${number}`));
  // Gives each request a key of its own, derived from its first line, so that a repeat uses the same keys.
  const options = { idempotencyKey: idempotencyKey && `${idempotencyKey}-${group[0]?.number}` };
  if (isEvents) return (await hermod.events.publishMany(items as EventItems, options)).results;
  return (await hermod.webhooks.sendMany(items as WebhookItems, options)).results;
}

type EventItems = Parameters<Hermod["events"]["publishMany"]>[0];
type WebhookItems = Parameters<Hermod["webhooks"]["sendMany"]>[0];

function linesOf(text: string): BatchLine[] {
  const lines = text.split("\n").map((line, i) => ({ text: line.trim(), number: i + 1 }));
  const filled = lines.filter((line) => line.text !== "");
  for (const { text: line, number } of filled) payloadOf(line, `Line ${number}`);
  if (filled.length === 0) throw new UsageError("There is nothing to send: the input has no lines");
  return filled;
}

/** Groups the lines in order, as many as a request may hold. */
function* groupsOf(lines: readonly BatchLine[]): Generator<BatchLine[]> {
  let group: BatchLine[] = [];
  let size = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line.text) + 1;
    if (group.length === MAX_ITEMS || (size + bytes > MAX_BYTES && group.length > 0)) {
      yield group;
      [group, size] = [[], 0];
    }
    group.push(line);
    size += bytes;
  }
  if (group.length > 0) yield group;
}

function resultText(result: SentItem): Cell {
  if (result.error) return `${result.error.code} ${result.error.message}`;
  if ("webhook" in result) return `${result.webhook?.id} ${result.webhook?.status}`;
  return result.event?.deliveries.map(({ id }) => id).join(" ") || "no endpoint wants it";
}
