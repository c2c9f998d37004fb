import { join } from "node:path";
import document from "../src/client/openapi.json";
import type { ApiDocument } from "./document";
import { go } from "./go";
import { modelOf } from "./model";
import { python } from "./python";

/** Returns the generated files of all clients, by their path in `clients/`. */
export function generated(): Record<string, string> {
  const model = modelOf(document as unknown as ApiDocument);
  return { ...python(model), ...go(model) };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(generated())) await Bun.write(join(import.meta.dir, path), text);
