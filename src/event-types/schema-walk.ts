import { FORMATS } from "./format";
import { compilePattern } from "./pattern";
import { Flaw } from "./schema-flaw";
import { kindOf } from "./schema-keywords";

/** `uniqueItems` compares each item with each, unless they are plain values. */
export const MAX_UNIQUE_ITEMS = 256;

/** What judging a document by a part of a schema costs at most. */
export type Cost = {
  /** JSON values looked at, references followed. */
  nodes: number;
  /** Those of them that are looked at again for each item or property. */
  repeated: number;
  /** Schemas within each other. */
  height: number;
};

type JsonObject = Record<string, unknown>;
/** A keyword and where it stands. */
type Entry = { schema: JsonObject; keyword: string; value: unknown; path: string };
type CostOfPart = (part: unknown, path: string) => Cost;

const FREE: Cost = { nodes: 0, repeated: 0, height: 0 };

/** Goes through a schema once, adds up its cost, and throws `Flaw` at what is not allowed. */
export class SchemaWalk {
  private readonly known = new Map<JsonObject, Cost>();
  private readonly entered = new Set<JsonObject>();

  constructor(private readonly root: unknown) {}

  cost(): Cost {
    if (!isObject(this.root)) throw new Flaw("must be a JSON object");
    return this.once(this.root, "");
  }

  private readonly once: CostOfPart = (part, path) => {
    if (typeof part === "boolean") return { nodes: 1, repeated: 0, height: 1 };
    if (!isObject(part)) throw new Flaw(`has something that is not a schema at ${path}`);
    if (this.entered.has(part)) throw new Flaw(`refers to itself at ${path}`);
    const known = this.known.get(part);
    if (known) return known;
    this.entered.add(part);
    const costs = Object.entries(part).map(([keyword, value]) =>
      this.costOfKeyword({ schema: part, keyword, value, path: `${path}/${keyword}` }),
    );
    this.entered.delete(part);
    const { nodes, repeated, height } = sumOf(costs);
    const cost = { nodes: nodes + 1, repeated, height: height + 1 };
    this.known.set(part, cost);
    return cost;
  };

  private readonly each: CostOfPart = (part, path) => {
    const { nodes, height } = this.once(part, path);
    return { nodes, repeated: nodes, height };
  };

  /** Checked, but only what refers to it makes it cost something. */
  private readonly unused: CostOfPart = (part, path) => ({ ...FREE, height: this.once(part, path).height });

  private readonly dependency: CostOfPart = (part, path) =>
    Array.isArray(part) ? costOfValue(part) : this.once(part, path);

  private costOfKeyword({ schema, keyword, value, path }: Entry): Cost {
    switch (kindOf(keyword)) {
      case "schema":
        return this.once(value, path);
      case "each":
        return this.each(value, path);
      case "schemas":
        return costOfParts(arrayAt(value, path), path, this.once);
      case "items":
        return Array.isArray(value) ? costOfParts(value, path, this.once) : this.each(value, path);
      case "named":
        return costOfParts(objectAt(value, path), path, this.once);
      case "patterns":
        for (const pattern of Object.keys(objectAt(value, path))) checkPattern(pattern, path);
        return costOfParts(objectAt(value, path), path, this.each);
      case "dependencies":
        return costOfParts(objectAt(value, path), path, this.dependency);
      case "definitions":
        return costOfParts(objectAt(value, path), path, this.unused);
      case "reference":
        return this.once(this.resolve(value, path), path);
      case "value":
        return costOfValue(value);
      default:
        this.check({ schema, keyword, value, path });
        return FREE;
    }
  }

  private check({ schema, keyword, value, path }: Entry): void {
    const kind = kindOf(keyword);
    if (kind === undefined) throw new Flaw(`has something that is not a supported keyword at ${path}`);
    if (kind === "pattern") checkPattern(value, path);
    if (kind === "format") checkFormat(value, path);
    if (kind === "unique") checkUnique(schema, path);
    if (kind === "root" && schema !== this.root) throw new Flaw(`may have ${keyword} only at its root`);
  }

  /** Only within the schema: nothing is ever fetched. */
  private resolve(reference: unknown, path: string): unknown {
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
      throw new Flaw(`may refer only to its own parts, as #/…, at ${path}`);
    }
    let part: unknown = this.root;
    for (const step of pointerSteps(reference, path)) {
      const isThere = typeof part === "object" && part !== null && Object.hasOwn(part, step);
      if (!isThere) throw new Flaw(`refers to ${reference}, which is not there, at ${path}`);
      part = (part as JsonObject)[step];
    }
    return part;
  }
}

function costOfParts(parts: JsonObject | readonly unknown[], path: string, costOf: CostOfPart): Cost {
  return sumOf(Object.entries(parts).map(([name, part]) => costOf(part, `${path}/${name}`)));
}

function costOfValue(value: unknown): Cost {
  return { nodes: countValues(value), repeated: 0, height: 0 };
}

function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (sum, each) => ({
      nodes: sum.nodes + each.nodes,
      repeated: sum.repeated + each.repeated,
      height: Math.max(sum.height, each.height),
    }),
    FREE,
  );
}

function pointerSteps(reference: string, path: string): string[] {
  try {
    const steps = decodeURIComponent(reference).split("/").slice(1);
    return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    throw new Flaw(`has a malformed reference at ${path}`);
  }
}

function checkPattern(pattern: unknown, path: string): void {
  if (typeof pattern !== "string") throw new Flaw(`must have a string at ${path}`);
  try {
    compilePattern(pattern, { left: 0 });
  } catch (error) {
    throw new Flaw(`has a pattern that can't be used at ${path}: ${(error as Error).message}`);
  }
}

function checkFormat(format: unknown, path: string): void {
  if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return;
  throw new Flaw(`has an unknown format at ${path}; known are ${Object.keys(FORMATS).join(", ")}`);
}

const PLAIN_TYPES = ["string", "number", "integer", "boolean", "null"];

function checkUnique({ uniqueItems, items, maxItems }: JsonObject, path: string): void {
  if (uniqueItems !== true) return;
  if (typeof maxItems === "number" && maxItems <= MAX_UNIQUE_ITEMS) return;
  const type = isObject(items) ? items.type : undefined;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (types.every((each) => PLAIN_TYPES.some((plain) => plain === each))) return;
  throw new Flaw(`needs a maxItems of at most ${MAX_UNIQUE_ITEMS}, or items of a plain type, at ${path}`);
}

function countValues(value: unknown): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}

function arrayAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Flaw(`must have an array at ${path}`);
}

function objectAt(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw new Flaw(`must have an object at ${path}`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
