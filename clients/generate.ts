import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import document from "../src/client/openapi.json";
import type { ApiDocument } from "./document";
import { go } from "./go";
import { inboxStatements } from "./inbox";
import { JAVA_MODEL, java } from "./java";
import { modelOf } from "./model";
import { python } from "./python";

/** Returns the generated files of all clients, by their path in `clients/`. */
export function generated(): Record<string, string> {
  const model = modelOf(document as unknown as ApiDocument);
  return {
    ...python(model),
    ...go(model),
    ...java(model),
    ...javaPackage(model.version),
    ...inboxStatements(),
  };
}

/** The package of the Java client, which is written by hand but for its version. */
function javaPackage(version: string): Record<string, string> {
  const path = "java/pom.xml";
  const text = readFileSync(join(import.meta.dir, path), "utf8");
  return { [path]: text.replace(/(?<=<artifactId>hermod<\/artifactId>\s*<version>)[^<]*/, version) };
}

if (import.meta.main) {
  await rm(join(import.meta.dir, JAVA_MODEL), { recursive: true, force: true });
  for (const [path, text] of Object.entries(generated())) await Bun.write(join(import.meta.dir, path), text);
}
