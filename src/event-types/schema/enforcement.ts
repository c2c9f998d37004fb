import { RE2JS } from "re2js";
import type { JsonSchema } from "../../domain/json-schema";
import { messageOf } from "../../runtime/errors";
import { isWrittenNumber } from "../../runtime/text/exact-json";
import { nearest } from "../../runtime/text/nearest";
import { shownName } from "../../runtime/text/plain-text";
import { FORMATS } from "./format";
import { WHOLE } from "./number-keywords";
import { MAX_PATTERN_LENGTH } from "./pattern";
import type { Patterns } from "./patterns";
import { isCheapUnique, isObject, MAX_UNIQUE_ITEMS } from "./schema-checks";
import { KEYWORDS, kindOf } from "./schema-keywords";
import { SchemaProblem, TooLarge } from "./schema-problem";
import { isBase, type ReferenceTarget, resolveReference, type SchemaBase } from "./schema-reference";
import { SchemaWarnings } from "./schema-warnings";

/** The part of a schema that payloads are checked against. It refers only to its own `$defs`. */
export type EnforcedSchema = Readonly<{
  schema: JsonSchema;
  /** The parts that are not checked. */
  warnings: readonly string[];
  /** The place of each definition in the whole schema, as a JSON pointer. */
  places: readonly string[];
  /** Depth of nested schemas. */
  height: number;
}>;

/** Greatest depth of nested schemas, including references. */
export const MAX_SCHEMA_DEPTH = 16;
/** Most schemas within a schema. Each referenced one counts again with what it contains. */
const MAX_PARTS = 10_000;

/** A schema's enforced part. It may accept more than the schema, and never less. */
type EnforcedPart = Readonly<{ schema: JsonSchema | boolean; isWhole: boolean }>;
type Enforced<T> = Readonly<{ value: T; isWhole: boolean }>;
/** The enforced value of a keyword; `lost` if a check is dropped, `none` if there is nothing to check. */
type EnforcedKeyword = Enforced<unknown> | "lost" | "none";
type SchemaPlace = Readonly<{ path: string; depth: number; base: SchemaBase }>;
type FoundPart = Extract<ReferenceTarget, { part: unknown }>;
type Definition = Readonly<{ name: string; part: EnforcedPart }>;

/**
 * Returns the part of a schema that can be checked, with a warning for each kind of part that can't. Dropping a check never refuses
 * a payload that the schema accepts. Drops the schemas below a depth, if there is one. Throws `SchemaProblem` if the schema has a
 * mistake.
 */
export function enforced(root: JsonSchema, patterns: Patterns, cut: number | null = null): EnforcedSchema {
  return new Enforcement(root, patterns, cut).result();
}

class Enforcement {
  private readonly warnings = new SchemaWarnings();
  private readonly definitions = new Map<string, Definition>();
  /** The targets of references that are being enforced. */
  private readonly open = new Set<unknown>();
  private readonly places: string[] = [];
  private parts = 0;
  private height = 0;

  constructor(
    private readonly root: JsonSchema,
    private readonly patterns: Patterns,
    private readonly cut: number | null,
  ) {}

  result(): EnforcedSchema {
    this.open.add(this.root);
    const base = { schema: this.root, path: "" };
    const { schema } = this.partOf(this.root, { path: "", depth: 1, base });
    const definitions = [...this.definitions.values()].map(({ name, part }) => [name, part.schema]);
    const $defs: JsonSchema = Object.fromEntries(definitions);
    return {
      schema: { ...(isObject(schema) && schema), ...(definitions.length > 0 && { $defs }) },
      warnings: this.warnings.list(),
      places: this.places,
      height: this.height,
    };
  }

  private partOf(given: unknown, { path, depth, base }: SchemaPlace): EnforcedPart {
    if (typeof given === "boolean") return { schema: given, isWhole: true };
    if (!isObject(given)) throw new SchemaProblem(`has something that is not a schema at ${path}`);
    if (depth > (this.cut ?? MAX_SCHEMA_DEPTH)) return this.tooDeep(path);
    this.height = Math.max(this.height, depth);
    if (++this.parts > MAX_PARTS) throw new TooLarge(TOO_MANY_PARTS);
    const inside = { depth: depth + 1, base: isBase(given) ? { schema: given, path } : base };
    const kept = Object.entries(given).map(
      ([keyword, value]) =>
        [
          keyword,
          this.keyword(given, keyword, value, { ...inside, path: `${path}/${stepOf(keyword)}` }),
        ] as const,
    );
    return this.combined(new Map(kept), path);
  }

  private keyword(schema: JsonSchema, keyword: string, value: unknown, place: SchemaPlace): EnforcedKeyword {
    const { path } = place;
    switch (kindOf(keyword)) {
      case "schema":
      case "each":
        return this.inner(value, place);
      case "schemas":
        return this.list(arrayAt(value, path), place);
      case "items":
        return Array.isArray(value) ? this.list(value, place) : this.inner(value, place);
      case "named":
      case "dependencies":
        return this.named(objectAt(value, path), place);
      case "patterns":
        return this.patterned(objectAt(value, path), place);
      case "reference":
        return this.reference(value, place);
      case "dynamic reference":
        return this.lost(`has the keyword ${keyword}, which is not checked`, path);
      case "pattern":
        return this.isUsable(value, path) ? whole(value) : "lost";
      case "format":
        return this.format(value, path);
      case "unique":
        return this.unique(schema, path);
      case "length":
      case "count":
        // Nothing has as many parts that a double would not hold their number.
        return whole(isWrittenNumber(value) ? Number(value.rawJSON) : value);
      case "value":
        return whole(value);
      case "nullable":
        return value === true ? whole(true) : "none";
      case "draft":
        if (schema !== this.root) this.warnings.add("names a draft below its root, which is ignored", path);
        return "none";
      case "definitions":
      case "id":
      case "note":
        return "none";
      case "unchecked":
        this.warnings.add(`has the keyword ${keyword}, which is not checked`, path);
        return "none";
      case undefined:
        this.warnings.add(`has ${shownName(keyword)}, which is not a known keyword`, path, () =>
          meant(keyword),
        );
        return "none";
    }
  }

  private inner(value: unknown, place: SchemaPlace): Enforced<JsonSchema | boolean> {
    const { schema, isWhole } = this.partOf(value, place);
    return { value: schema, isWhole };
  }

  private list(values: readonly unknown[], place: SchemaPlace): EnforcedKeyword {
    const parts = values.map((value, i) => this.inner(value, { ...place, path: `${place.path}/${i}` }));
    return { value: parts.map(({ value }) => value), isWhole: parts.every(({ isWhole }) => isWhole) };
  }

  /** Enforces schemas by name. Lists of names, which dependencies have, stay as they are. */
  private named(values: JsonSchema, place: SchemaPlace): EnforcedKeyword {
    const parts = Object.entries(values).map(([name, value]) => {
      if (Array.isArray(value)) return [name, whole(value)] as const;
      return [name, this.inner(value, { ...place, path: `${place.path}/${stepOf(name)}` })] as const;
    });
    return {
      value: Object.fromEntries(parts.map(([name, { value }]) => [name, value])),
      isWhole: parts.every(([, { isWhole }]) => isWhole),
    };
  }

  /** Drops all patterns if one can't be used: `additionalProperties` would be about the names that it matches. */
  private patterned(values: JsonSchema, place: SchemaPlace): EnforcedKeyword {
    const unusable = Object.keys(values).filter((pattern) => !this.isUsable(pattern, place.path));
    return unusable.length === 0 ? this.named(values, place) : "lost";
  }

  private reference(value: unknown, place: SchemaPlace): EnforcedKeyword {
    const target = resolveReference(place.base, value, place.path);
    if ("elsewhere" in target) return this.lost(target.elsewhere, place.path);
    if (this.open.has(target.part)) return this.lost(RECURSIVE, place.path);
    const { name, part } = this.definitionOf(target, place);
    return { value: `#/$defs/${name}`, isWhole: part.isWhole };
  }

  private definitionOf({ part: given, path }: FoundPart, place: SchemaPlace): Definition {
    // With a cut, less of a part is left the deeper the reference to it is.
    const key = this.cut === null ? path : `${place.depth} ${path}`;
    const known = this.definitions.get(key);
    if (known) return known;
    const name = String(this.places.push(path) - 1);
    if (isObject(given)) this.open.add(given);
    const part = this.partOf(given, { ...place, path });
    this.open.delete(given);
    const definition = { name, part };
    this.definitions.set(key, definition);
    return definition;
  }

  private tooDeep(path: string): EnforcedPart {
    if (this.cut === null) throw new TooLarge(`is nested deeper than ${MAX_SCHEMA_DEPTH} schemas`);
    this.warnings.add(`is too large to check what is nested deeper than ${this.cut} schemas`, path);
    return { schema: true, isWhole: false };
  }

  private format(value: unknown, path: string): EnforcedKeyword {
    if (typeof value !== "string") throw new SchemaProblem(`must have a string at ${path}`);
    if (Object.hasOwn(FORMATS, value)) return whole(value);
    return this.lost(`has the format ${shownName(value)}, which is not checked`, path);
  }

  private unique(schema: JsonSchema, path: string): EnforcedKeyword {
    return isCheapUnique(schema) ? whole(schema.uniqueItems) : this.lost(UNBOUNDED_UNIQUE, path);
  }

  /** Returns false for a pattern that is too large or not supported. Throws for one that is a mistake. */
  private isUsable(pattern: unknown, path: string): boolean {
    if (typeof pattern !== "string") throw new SchemaProblem(`must have a string at ${path}`);
    try {
      this.patterns.compile(pattern);
      return true;
    } catch (error) {
      const reason = messageOf(error);
      if (!this.patterns.isFull && !isPatternAnywhere(pattern))
        throw new SchemaProblem(`has a malformed pattern at ${path}: ${reason}`);
      this.warnings.add(
        `has a pattern that can't be checked (${shownName(reason, MAX_REASON_LENGTH)})`,
        path,
      );
      return false;
    }
  }

  private lost(message: string, path: string): "lost" {
    this.warnings.add(message, path);
    return "lost";
  }

  /** Combines keywords, without those that would refuse too much because of a lost check. */
  private combined(keywords: ReadonlyMap<string, EnforcedKeyword>, path: string): EnforcedPart {
    const isLost = (keyword: string) => {
      const kept = keywords.get(keyword);
      return kept === "lost" || (typeof kept === "object" && !kept.isWhole);
    };
    const isWhole = ![...keywords.keys()].some(isLost);
    const dropped = new Set(
      [
        isLost("not") && ["not"],
        isLost("if") && ["if", "then", "else"],
        isLost("contains") && ["maxContains"],
        isLost("patternProperties") && ["additionalProperties"],
        !isWhole && ["unevaluatedProperties", "unevaluatedItems"],
      ].flatMap((each) => each || []),
    );
    for (const keyword of dropped)
      if (keywords.has(keyword)) this.warnings.add(becauseOfOthers(keyword), path);
    const entries = [...keywords].flatMap(([keyword, kept]) =>
      typeof kept === "string" || dropped.has(keyword) ? [] : [[keyword, kept.value] as const],
    );
    const schema: JsonSchema = Object.fromEntries(entries);
    return {
      schema: withWhole(withNull(withBounds(isLost("oneOf") ? this.anyOfOne(schema, path) : schema))),
      isWhole,
    };
  }

  /** Replaces `oneOf` by `anyOf`: alternatives that lost a check may match together. */
  private anyOfOne({ oneOf, ...schema }: JsonSchema, path: string): JsonSchema {
    this.warnings.add("has a oneOf that is checked like anyOf, because parts of it are not checked", path);
    const allOf = Array.isArray(schema.allOf) ? schema.allOf : [];
    return { ...schema, allOf: [...allOf, { anyOf: oneOf }] };
  }
}

const TOO_MANY_PARTS = `is too large: more than ${MAX_PARTS} schemas, with the targets of references`;
const RECURSIVE = "refers to a part from within it, which is not checked again there";
const UNBOUNDED_UNIQUE = `has a uniqueItems that is not checked, because it needs a maxItems of at most ${MAX_UNIQUE_ITEMS}, or items of a plain type`;
/** Most characters of the reason for which a pattern can't be used. */
const MAX_REASON_LENGTH = 120;

const becauseOfOthers = (keyword: string) =>
  `has the keyword ${keyword}, which is not checked, because parts that it depends on are not checked`;

/** Rewrites bounds of draft 4 and OpenAPI 3.0, whose `exclusiveMinimum` says whether `minimum` is exclusive. */
function withBounds(schema: JsonSchema): JsonSchema {
  return exclusive(exclusive(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum");
}

function exclusive(schema: JsonSchema, bound: string, keyword: string): JsonSchema {
  if (typeof schema[keyword] !== "boolean") return schema;
  const { [bound]: value, [keyword]: isExclusive, ...rest } = schema;
  if (value === undefined) return rest;
  return { ...rest, [isExclusive ? keyword : bound]: value };
}

/** Rewrites OpenAPI 3.0's `nullable`. */
function withNull({ nullable, ...schema }: JsonSchema): JsonSchema {
  if (nullable !== true) return schema;
  const { type } = schema;
  const isPlain = typeof type === "string" && !("enum" in schema) && !("const" in schema);
  return isPlain ? { ...schema, type: [type, "null"] } : { anyOf: [{ type: "null" }, schema] };
}

/** Adds an exact check to `type: integer`, which Ajv checks by doubles. */
function withWhole(schema: JsonSchema): JsonSchema {
  const types: unknown[] = [schema.type].flat();
  return types.includes("integer") && !types.includes("number") ? { ...schema, [WHOLE]: true } : schema;
}

function whole<T>(value: T): Enforced<T> {
  return { value, isWhole: true };
}

function meant(keyword: string): string {
  const known = nearest(keyword, KEYWORDS);
  return known === null ? "" : `. Did you mean ${known}?`;
}

/** True for a pattern in ECMAScript's or RE2's syntax, which includes most that Python and .NET write. */
function isPatternAnywhere(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return true;
  return isValid(() => new RegExp(pattern)) || isValid(() => RE2JS.compile(pattern));
}

function isValid(compile: () => unknown): boolean {
  try {
    compile();
    return true;
  } catch {
    return false;
  }
}

/** Writes a name as a step of a JSON pointer. */
function stepOf(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function arrayAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new SchemaProblem(`must have an array at ${path}`);
}

function objectAt(value: unknown, path: string): JsonSchema {
  if (isObject(value)) return value;
  throw new SchemaProblem(`must have an object at ${path}`);
}
