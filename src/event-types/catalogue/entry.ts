import type { JsonSchema } from "../schema/schema-compiler";

/** Most event types of one document. */
export const MAX_IMPORTED = 500;

/** What a document says of an event type; absent: nothing. */
export type CatalogueEntry = Readonly<{
  name: string;
  description?: string;
  group?: string;
  example?: unknown;
  deprecated?: boolean;
  schema?: JsonSchema;
}>;

/** An entry, or why a document's event type can't be read. */
export type ReadEntry = Readonly<{ name: string }> &
  (Readonly<{ entry: CatalogueEntry }> | Readonly<{ problem: string }>);

/** A document that is no catalogue. Its message is public. */
export class NoCatalogue extends Error {}

/** Reads an entry, or says why not. */
export function readingOf(name: string, read: () => Omit<CatalogueEntry, "name">): ReadEntry {
  try {
    return { name, entry: { name, ...read() } };
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the first text. */
export function textOf(...candidates: readonly unknown[]): { description?: string } {
  const description = candidates.find((each) => typeof each === "string" && each !== "");
  return typeof description === "string" ? { description } : {};
}
