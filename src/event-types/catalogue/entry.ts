import type { JsonSchema } from "../../domain/json-schema";
import { eventProblem } from "../../domain/names";
import { messageOf } from "../../runtime/errors";

/** Most event types of one document. */
export const MAX_IMPORTED = 500;

/** Limits of an example of a document. */
export const EXAMPLE_SIZE = { bytes: 16_384, depth: 128 };

/** The description of an event type in a document. Absent fields are not in the document. */
export type CatalogueEntry = Readonly<{
  name: string;
  description?: string;
  group?: string;
  example?: unknown;
  deprecated?: boolean;
  schema?: JsonSchema;
}>;

/** An entry, or the reason for which a document's event type can't be read. */
export type ReadEntry = Readonly<{ name: string }> &
  (Readonly<{ entry: CatalogueEntry }> | Readonly<{ problem: string }>);

/** The document is not a catalogue of event types. The message names the field within the document, and is public. */
export class NoCatalogue extends Error {}

/** Returns the entry that `read` returns, or the reason of its error. Reads nothing under a name that no event type has. */
export function readingOf(name: string, read: () => Omit<CatalogueEntry, "name">): ReadEntry {
  const problem = eventProblem(name);
  if (problem !== null) return { name, problem: `its name ${problem}` };
  try {
    return { name, entry: { name, ...read() } };
  } catch (error) {
    return { name, problem: messageOf(error) };
  }
}

/** Throws unless the field that has the event types has few enough. */
export function checkCount(field: string, count: number): void {
  if (count > MAX_IMPORTED) throw new NoCatalogue(`${field} must have at most ${MAX_IMPORTED} event types`);
}

/** Returns the first candidate that is a text. */
export function textOf(...candidates: readonly unknown[]): { description?: string } {
  const description = candidates.find((each) => typeof each === "string" && each !== "");
  return typeof description === "string" ? { description } : {};
}

/** The `info` of an exported document, as JSON. */
export const INFO = JSON.stringify({ title: "Event types", version: "1" });
