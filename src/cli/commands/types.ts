import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hermod } from "../../client";
import type { KnownEvent, LeftOut } from "../../event-types/code/event-code";
import type { CodeLanguage } from "../../event-types/code/languages";
import { CommandFailed, UsageError } from "../failure";
import { keptPayloads } from "../kept-payloads";
import type { CommandSession } from "../session";
import type { Add } from "./command";
import { oneOf } from "./values";

/** Kept payloads from which a type is inferred. */
const SAMPLES = 20;

const readLanguage = oneOf<CodeLanguage>({ ts: true, python: true, go: true, java: true });

export const addTypes: Add = (parent, session) => {
  parent
    .command("types")
    .summary("Write types for the payloads of event types: TypeScript, Python, Go or Java.")
    .description(
      "Write a type for each event type's payload, from its schema or else from its example in the catalogue. With --infer, the " +
        `others get theirs from the latest ${SAMPLES} payloads that are kept. TypeScript has a map of all events too. Java needs ` +
        "--out and Jackson.",
    )
    .requiredOption("--lang <language>", "ts, python, go or java", readLanguage)
    .option("--out <folder>", "write the files there, in place of standard output")
    .option("--infer", "infer the types of events without a schema or an example from kept payloads")
    .action(async ({ lang, out, infer = false }) => {
      if (lang === "java" && out === undefined)
        throw new UsageError("Java has a file for each type: give --out <folder>");
      const { known, unknown } = await readEvents(await session.hermod(), infer);
      // Loaded here, since no other command needs the generator.
      const { codeOf } = await import("../../event-types/code/event-code");
      const { files, leftOut } = await codeOf(known, lang);
      report(session, [...unknown, ...leftOut]);
      if (files.length === 0) throw new CommandFailed("There is no event type whose payload is known");
      if (out === undefined) for (const { text } of files) session.context.streams.out(text);
      else
        await write(
          out,
          files.map((file) => ({ ...file, name: fileName(file.name, lang) })),
        );
    });
};

async function readEvents(hermod: Hermod, infer: boolean) {
  const known: KnownEvent[] = [];
  const unknown: LeftOut[] = [];
  for await (const { event_type: event, schema, example } of hermod.eventTypes.all()) {
    const samples =
      example != null ? [example] : infer && !schema ? await keptPayloads(hermod, event, SAMPLES) : [];
    if (schema) known.push({ event, source: { kind: "schema", schema } });
    else if (samples.length > 0) known.push({ event, source: { kind: "samples", samples } });
    else
      unknown.push({ event, reason: infer ? "no payload is kept" : "no schema and no example; try --infer" });
  }
  return { known: known.toSorted((a, b) => (a.event < b.event ? -1 : 1)), unknown };
}

function report({ output }: CommandSession, leftOut: readonly LeftOut[]): void {
  for (const { event, reason } of leftOut) output.note(`Left out ${event}: ${reason}.`);
}

function fileName(name: string, lang: string): string {
  if (name !== "stdout") return name;
  return `events.${lang === "python" ? "py" : lang}`;
}

async function write(folder: string, files: readonly { name: string; text: string }[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of files) await writeFile(join(folder, name), text);
}
