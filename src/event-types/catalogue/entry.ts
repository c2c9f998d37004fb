import type { JsonSchema } from "../schema/schema-compiler";

/** Most event types of one document. */
export const MAX_IMPORTED = 500;

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

/** The document is not a catalogue of event types. The message is public. */
export class NoCatalogue extends Error {}

/** Returns the entry that `read` returns, or the reason of its error. */
export function readingOf(name: string, read: () => Omit<CatalogueEntry, "name">): ReadEntry {
  try {
    return { name, entry: { name, ...read() } };
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the first candidate that is a text. */
export function textOf(...candidates: readonly unknown[]): { description?: string } {
  const description = candidates.find((each) => typeof each === "string" && each !== "");
  return typeof description === "string" ? { description } : {};
}
