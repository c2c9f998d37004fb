import { join } from "node:path";
import { startTestService } from "../http/service";

/** A value of JSON, as a document has it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** The committed document, of which the client's types are made. `bun run openapi` rewrites it. */
export const GOLDEN_FILE = join(import.meta.dir, "../../src/client/openapi.json");

/** Returns the text of the document that the service serves. */
export async function servedDocument(): Promise<string> {
  const service = await startTestService();
  try {
    return await (await fetch(`${service.url}/swagger/json`)).text();
  } finally {
    await service.stop();
  }
}

/** Formats a document with its names in order, so that the order of declarations does not matter. */
export function formatted(document: JsonValue): string {
  return `${JSON.stringify(sorted(document), null, 2)}\n`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
