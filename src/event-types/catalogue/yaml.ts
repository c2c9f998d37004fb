import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  floatCoreTag,
  intCoreTag,
  load,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  type ScalarTagDefinition,
  YAMLException,
} from "js-yaml";
import { isWrittenNumber, type WrittenNumber, writtenNumber } from "../../runtime/text/exact-json";
import { shownName } from "../../runtime/text/plain-text";
import { JsonBudget, TooMuchJson } from "../json-budget";
import { isObject } from "../schema/schema-checks";

/** Limits of a document in YAML. */
export const YAML_LIMITS = {
  characters: 262_144,
  aliases: 1_000,
  /** Names that merge keys (`<<`) copy. */
  mergedNames: 10_000,
  /** The parser takes 0.2 s for a tag of 262,144 characters, and 5 ms for one of 65,536 (measured). */
  tag: 16_384,
  /** The size with the targets of aliases, as JSON text. */
  bytes: 524_288,
  depth: 128,
};

/** A document as JSON text, or the reason for which it can't be read, which follows its name. */
export type ReadYaml = Readonly<{ json: string } | { problem: string }>;

/** Makes a tag of numbers keep those that a double may not hold, or would write in another way. */
function written({ tagName, ...tag }: ScalarTagDefinition<number>) {
  return defineScalarTag<number | WrittenNumber>(tagName, {
    ...tag,
    resolve(source, ...rest) {
      const value = tag.resolve(source, ...rest);
      if (value !== NOT_RESOLVED) return numberOf(source, value);
      // YAML's own type for a number beyond 1.8e308 is a string, which nobody means.
      const isBeyond = Math.abs(Number(source)) === Number.POSITIVE_INFINITY;
      return isBeyond ? (decimalOf(source) ?? NOT_RESOLVED) : NOT_RESOLVED;
    },
  });
}

/** Returns the number, or its JSON text if that says more. */
function numberOf(source: string, value: number): number | WrittenNumber {
  if (String(value) === source) return value;
  const decimal = decimalOf(source);
  if (decimal !== null || Number.isSafeInteger(value) || isEndless(value)) return decimal ?? value;
  return writtenNumber(wholeOf(source));
}

/** A decimal number of YAML, which may have a plus, zeros in front, or no digit on one side of the point. */
const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?([eE][-+]?\d+)?$/;

function decimalOf(source: string): WrittenNumber | null {
  const [found, sign, whole = "", fraction, power = ""] = DECIMAL.exec(source) ?? [];
  if (found === undefined) return null;
  const significant = whole.replace(/^0+/, "") || "0";
  return writtenNumber(`${sign === "-" ? "-" : ""}${significant}${fraction ? `.${fraction}` : ""}${power}`);
}

/** Writes a number with another base as a decimal. */
function wholeOf(source: string): string {
  return source.startsWith("-") ? `-${BigInt(source.slice(1))}` : String(BigInt(source.replace("+", "")));
}

/** Maps with the names of numbers as they were written. */
const MAP = defineMappingTag(mapTag.tagName, {
  ...mapTag,
  addPair: (map, key, value) => mapTag.addPair(map, nameOfKey(key), value),
  has: (map, key) => mapTag.has(map, nameOfKey(key)),
});

function nameOfKey(key: unknown): unknown {
  return isWrittenNumber(key) ? key.rawJSON : key;
}

/** YAML 1.2, without dates, and the merge keys of YAML 1.1, which documents share parts with. */
const SCHEMA = CORE_SCHEMA.withTags(written(intCoreTag), written(floatCoreTag), MAP, mergeTag);
const TAG = /(?<![^\s[{,])!\S+/g;

/** Writes a document in YAML as JSON. Runs in the thread for rules, since the parser takes up to 0.3 s. */
export function readYaml(text: string): ReadYaml {
  try {
    return { json: jsonOf(text) };
  } catch (error) {
    if (error instanceof TooMuchJson) return { problem: `${error.message}, with the targets of its aliases` };
    if (error instanceof YAMLException) return { problem: `can't be read as YAML: ${reasonOf(error)}` };
    throw error;
  }
}

function jsonOf(text: string): string {
  for (const [tag] of text.matchAll(TAG))
    if (tag.length > YAML_LIMITS.tag)
      throw new YAMLException(`a tag must have at most ${YAML_LIMITS.tag} characters`);
  const value = load(text, {
    schema: SCHEMA,
    maxDepth: YAML_LIMITS.depth,
    maxAliases: YAML_LIMITS.aliases,
    maxTotalMergeKeys: YAML_LIMITS.mergedNames,
  });
  // Ends circles, and counts the target of an alias each time.
  const copy = new JsonBudget(YAML_LIMITS).copy(value);
  if (!isObject(copy)) throw new YAMLException("it must be a mapping, such as `openapi: 3.1.0`");
  const path = endlessIn(copy);
  if (path !== null)
    throw new YAMLException(`${shownName(path)} must be a number that JSON has, or a text in quotes`);
  return JSON.stringify(copy);
}

function reasonOf({ reason, mark }: YAMLException): string {
  const place = mark === undefined ? "" : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
  return `${shownName(reason, REASON_LENGTH)}${place}`;
}

const REASON_LENGTH = 200;

/** Returns the path of the first number that JSON does not have; null if there is none. */
function endlessIn(value: unknown): string | null {
  if (typeof value === "number") return isEndless(value) ? "" : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, part] of Object.entries(value)) {
    const path = endlessIn(part);
    if (path !== null) return path === "" ? name : `${name}.${path}`;
  }
  return null;
}

function isEndless(value: number): boolean {
  return !Number.isFinite(value);
}
