import { setImmediate } from "node:timers/promises";
import { answerText } from "../../api/answer";
import type { Call } from "../../api/call";
import { streamOf } from "../../api/lists/whole-list";
import type { AccountId } from "../../domain/ids";
import type { JsonSchema } from "../../domain/json-schema";
import type { CatalogueEntry } from "../../event-types/catalogue/entry";
import type { EventTypes } from "../../event-types/event-type";
import type { EventType } from "../../event-types/visible-types";
import { parseExactly } from "../../runtime/text/exact-json";

/** Most event types that are read in one query. Each has a schema and an example, of up to 144 KiB together. */
const PAGE = 4;

/** Writes a document of event types, part by part. */
type Format = (entries: AsyncIterable<CatalogueEntry>) => AsyncGenerator<string, void>;

/**
 * Answers with all described event types as a document. Reads and writes a page at a time, as fast as the client takes them, so
 * it needs the memory of one page: a catalogue may have 70 MB. If a page can't be read, closes the connection in the middle.
 */
export async function answerExport(
  eventTypes: Pick<EventTypes, "described">,
  { allowance, principal: { accountId } }: Call,
  format: Format,
): Promise<Response> {
  const first = await eventTypes.described(accountId, { limit: PAGE });
  return answerText(allowance, 200, streamOf(format(entries(eventTypes, accountId, first))));
}

async function* entries(
  eventTypes: Pick<EventTypes, "described">,
  accountId: AccountId,
  first: EventType[],
): AsyncGenerator<CatalogueEntry, void> {
  for (let page = first; page.length > 0; ) {
    for (const type of page) {
      yield entryOf(type);
      await setImmediate();
    }
    const last = page.at(PAGE - 1);
    page =
      last === undefined ? [] : await eventTypes.described(accountId, { limit: PAGE, beyond: last.name });
  }
}

function entryOf({ name, description, group, example, deprecated, schema }: EventType): CatalogueEntry {
  return {
    name,
    ...(description !== null && { description }),
    ...(group !== null && { group }),
    ...(example !== null && { example: parseExactly(example) }),
    ...(deprecated && { deprecated }),
    ...(schema !== null && { schema: parseExactly(schema) as JsonSchema }),
  };
}
