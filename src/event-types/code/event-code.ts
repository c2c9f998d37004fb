import { InputData, JSONSchemaInput, jsonInputForTargetLanguage, quicktypeMultiFile } from "quicktype-core";
import type { CodeLanguage } from "./languages";

type CodeTarget = Readonly<{
  lang: "typescript" | "python" | "go" | "java";
  /** Of the generator. */
  options: Readonly<Record<string, string>>;
  hasDates: boolean;
  extension: string;
}>;

const TARGETS: Readonly<Record<CodeLanguage, CodeTarget>> = {
  ts: {
    lang: "typescript",
    options: { "just-types": "true", "acronym-style": "original" },
    // Payloads come from JSON.parse, which makes no dates.
    hasDates: false,
    extension: "ts",
  },
  python: { lang: "python", options: {}, hasDates: true, extension: "py" },
  go: { lang: "go", options: { package: "events" }, hasDates: true, extension: "go" },
  java: { lang: "java", options: { package: "events" }, hasDates: true, extension: "java" },
};

/** An event type, and what is known of its payload. */
export type KnownEvent = Readonly<{
  event: string;
  source:
    | { kind: "schema"; schema: Readonly<Record<string, unknown>> }
    | { kind: "samples"; samples: readonly unknown[] };
}>;

/** A file of source code. */
export type CodeFile = Readonly<{ name: string; text: string }>;

/** The event types whose payload can't be expressed, each with the reason. */
export type LeftOut = Readonly<{ event: string; reason: string }>;

/** Writes a type for each event's payload. Leaves out what the generator refuses. */
export async function codeOf(
  events: readonly KnownEvent[],
  language: CodeLanguage,
): Promise<{ files: readonly CodeFile[]; leftOut: readonly LeftOut[] }> {
  const named = namesOf(events);
  const leftOut: LeftOut[] = [];
  const fit: NamedEvent[] = [];
  for (const each of named) {
    const reason = await refusalOf(each, language);
    if (reason === null) fit.push(each);
    else leftOut.push({ event: each.event, reason });
  }
  if (fit.length === 0) return { files: [], leftOut };
  const files = await generate(fit, language);
  return { files: language === "ts" ? files.map((file) => withMap(file, fit)) : files, leftOut };
}

/** The generator's name of a file in languages that have all types in one. */
const ALL_IN_ONE = "stdout";

/** Writes the types of one event's payload, without a map. */
export async function codeOfEvent(event: KnownEvent, language: CodeLanguage): Promise<CodeFile[]> {
  const [named] = namesOf([event]);
  const files = named ? await generate([named], language) : [];
  return files.map(({ name, text }) => ({
    name: name === ALL_IN_ONE ? `${named?.name}.${TARGETS[language].extension}` : name,
    text,
  }));
}

type NamedEvent = KnownEvent & { readonly name: string };

/** Names each type like `OrderPaid`, and counts those whose events differ only in their signs. */
function namesOf(events: readonly KnownEvent[]): NamedEvent[] {
  const used = new Set<string>();
  return events.map((each) => {
    const words = each.event.split(/[^A-Za-z0-9]/).filter((word) => word !== "");
    const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
    const plain = /^[A-Za-z]/.test(joined) ? joined : `Event${joined}`;
    let name = plain;
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${plain}${count}`;
    used.add(name.toLowerCase());
    return { ...each, name };
  });
}

async function refusalOf(event: NamedEvent, language: CodeLanguage): Promise<string | null> {
  try {
    await generate([event], language);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function generate(events: readonly NamedEvent[], language: CodeLanguage): Promise<CodeFile[]> {
  const { lang, options, hasDates } = TARGETS[language];
  const schemas = new JSONSchemaInput(undefined);
  const samples = jsonInputForTargetLanguage(lang);
  for (const { name, source } of events) {
    if (source.kind === "samples")
      await samples.addSource({ name, samples: source.samples.map((each) => JSON.stringify(each)) });
    else
      await schemas.addSource({
        name,
        schema: JSON.stringify(hasDates ? source.schema : withoutFormats(source.schema)),
      });
  }
  const inputData = new InputData();
  inputData.addInput(schemas);
  inputData.addInput(samples);
  const files = await quicktypeMultiFile({
    inputData,
    lang,
    rendererOptions: options,
    inferDateTimes: hasDates,
    inferEnums: false,
    inferUuids: false,
    inferIntegerStrings: false,
    inferBooleanStrings: false,
    combineClasses: false,
    indentation: lang === "typescript" ? "  " : undefined,
  });
  return [...files].map(([name, { lines }]) => ({ name, text: `${lines.join("\n").trim()}\n` }));
}

function withoutFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "format" || typeof value !== "string");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutFormats(value)]));
}

/** Adds a map from event types to payloads. The generator writes `AB` as `Ab`, but no two names differ in their case alone. */
function withMap({ name, text }: CodeFile, events: readonly NamedEvent[]): CodeFile {
  const declared = Array.from(text.matchAll(/^export (?:interface|type) (\w+)/gm), ([, word = ""]) => word);
  const written = new Map(declared.map((word) => [word.toLowerCase(), word]));
  const lines = events.map(
    (each) => `  ${JSON.stringify(each.event)}: ${written.get(each.name.toLowerCase()) ?? each.name};`,
  );
  const map = ["/** The payload of each event type. */", "export interface Events {", ...lines, "}"].join(
    "\n",
  );
  return { name, text: `${text}\n${map}\n` };
}
