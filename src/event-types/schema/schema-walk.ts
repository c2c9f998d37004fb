import type { Patterns } from "./patterns";
import { checkFormat, checkPattern, checkUnique, isObject } from "./schema-checks";
import { type Cost, costOfDependents, costOfValue, FREE, sumOf } from "./schema-cost";
import { isTracking, kindOf } from "./schema-keywords";
import { SchemaProblem } from "./schema-problem";
import { resolveReference } from "./schema-reference";

type JsonObject = Record<string, unknown>;
/** A keyword and its place in the schema. */
type Entry = { schema: JsonObject; keyword: string; value: unknown; path: string };
type CostOfPart = (part: unknown, path: string) => Cost;

/** Most characters of a property's or definition's name. Each place inside is compiled with its whole path. */
export const MAX_NAME_LENGTH = 256;
/** Cost of a reference in addition to its target. */
const REFERENCE_NODES = 3;
/** Cost of a property in addition to its schema, if evaluated properties are tracked. */
const TRACKED_NODES = 8;

/** Walks a schema once, adds up its cost, and throws `SchemaProblem` for forbidden parts. */
export class SchemaWalk {
  private readonly known = new Map<JsonObject, Cost>();
  private readonly entered = new Set<JsonObject>();
  private readonly nodesPerProperty: number;

  constructor(
    private readonly root: unknown,
    private readonly patterns: Patterns,
  ) {
    this.nodesPerProperty = isTracking(root) ? TRACKED_NODES : 0;
  }

  cost(): Cost {
    if (!isObject(this.root)) throw new SchemaProblem("must be a JSON object");
    return this.once(this.root, "");
  }

  private readonly once: CostOfPart = (part, path) => {
    if (typeof part === "boolean") return { ...FREE, nodes: 1, height: 1 };
    if (!isObject(part)) throw new SchemaProblem(`has something that is not a schema at ${path}`);
    if (this.entered.has(part)) throw new SchemaProblem(`refers to itself at ${path}`);
    const known = this.known.get(part);
    if (known) return known;
    this.entered.add(part);
    const cost = this.costOfSchema(part, path);
    this.entered.delete(part);
    this.known.set(part, cost);
    return cost;
  };

  private costOfSchema(schema: JsonObject, path: string): Cost {
    const costs = Object.entries(schema).map(([keyword, value]) =>
      this.costOfKeyword({ schema, keyword, value, path: `${path}/${keyword}` }),
    );
    const sum = sumOf(costs);
    return { ...sum, nodes: sum.nodes + 1, height: sum.height + 1 };
  }

  private readonly each: CostOfPart = (part, path) => {
    const cost = this.once(part, path);
    return { ...cost, repeated: cost.nodes };
  };

  /** Checks an unused part. It is charged only if a reference points to it. */
  private readonly unused: CostOfPart = (part, path) => ({ ...FREE, height: this.once(part, path).height });

  private readonly dependency: CostOfPart = (part, path) =>
    Array.isArray(part) ? costOfDependents(part) : this.once(part, path);

  private readonly property: CostOfPart = (part, path) => {
    const cost = this.once(part, path);
    return { ...cost, nodes: cost.nodes + this.nodesPerProperty };
  };

  private readonly referred: CostOfPart = (part, path) => {
    const cost = this.once(part, path);
    return { ...cost, nodes: cost.nodes + REFERENCE_NODES };
  };

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
        return costOfParts(namesAt(value, path), path, this.property);
      case "patterns":
        for (const pattern of Object.keys(objectAt(value, path))) checkPattern(pattern, path, this.patterns);
        return costOfParts(objectAt(value, path), path, this.each);
      case "dependencies":
        return costOfParts(namesAt(value, path), path, this.dependency);
      case "definitions":
        return costOfParts(namesAt(value, path), path, this.unused);
      case "reference":
        return this.referred(resolveReference(this.root, value, path), path);
      case "pattern":
        return checkPattern(value, path, this.patterns);
      case "format":
        return checkFormat(value, path);
      case "unique":
        return checkUnique(schema, path);
      case "length":
        return { ...FREE, nodes: 1, lengths: 1 };
      case "value":
        return costOfValue(value);
      case "note":
        return FREE;
      case "root":
        if (schema !== this.root) throw new SchemaProblem(`may have ${keyword} only at its root`);
        return FREE;
      case undefined:
        throw new SchemaProblem(`has something that is not a supported keyword at ${path}`);
    }
  }
}

function costOfParts(parts: JsonObject | readonly unknown[], path: string, costOf: CostOfPart): Cost {
  return sumOf(Object.entries(parts).map(([name, part]) => costOf(part, `${path}/${name}`)));
}

function arrayAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new SchemaProblem(`must have an array at ${path}`);
}

function objectAt(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw new SchemaProblem(`must have an object at ${path}`);
}

function namesAt(value: unknown, path: string): JsonObject {
  const named = objectAt(value, path);
  if (Object.keys(named).every((name) => name.length <= MAX_NAME_LENGTH)) return named;
  throw new SchemaProblem(`has a name of more than ${MAX_NAME_LENGTH} characters at ${path}`);
}
