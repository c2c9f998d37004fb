import type { JsonSchema } from "../../domain/json-schema";
import { COST_OF_FORMAT, costOfUnique, isObject } from "./schema-checks";
import { type Cost, costOfDependents, costOfValue, FREE, sumOf } from "./schema-cost";
import { isTracking, kindOf } from "./schema-keywords";
import { SchemaProblem } from "./schema-problem";

/** A keyword and its place in the schema. */
type Entry = { schema: JsonSchema; keyword: string; value: unknown; path: string };
type CostOfPart = (part: unknown, path: string) => Cost;

/** Most characters of a property's name. Each place inside is compiled with its whole path. */
export const MAX_NAME_LENGTH = 256;
/** Cost of a reference in addition to its target. */
const REFERENCE_NODES = 3;
/** Cost of a property in addition to its schema, if evaluated properties are tracked. */
const TRACKED_NODES = 8;
const DEFINITION = "#/$defs/";

/** Walks the enforced part of a schema once, and adds up its cost. */
export class SchemaWalk {
  private readonly known = new Map<JsonSchema, Cost>();
  private readonly nodesPerProperty: number;

  constructor(private readonly root: JsonSchema) {
    this.nodesPerProperty = isTracking(root) ? TRACKED_NODES : 0;
  }

  cost(): Cost {
    return this.once(this.root, "");
  }

  private readonly once: CostOfPart = (part, path) => {
    if (!isObject(part)) return { ...FREE, nodes: 1 };
    const known = this.known.get(part);
    if (known) return known;
    const cost = this.costOfSchema(part, path);
    this.known.set(part, cost);
    return cost;
  };

  private costOfSchema(schema: JsonSchema, path: string): Cost {
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

  private readonly dependency: CostOfPart = (part, path) =>
    Array.isArray(part) ? costOfDependents(part) : this.once(part, path);

  private readonly property: CostOfPart = (part, path) => {
    const cost = this.once(part, path);
    return { ...cost, nodes: cost.nodes + this.nodesPerProperty };
  };

  private referred(reference: unknown): Cost {
    const name = String(reference).slice(DEFINITION.length);
    const definitions = isObject(this.root.$defs) ? this.root.$defs : {};
    const cost = this.once(definitions[name], DEFINITION.slice(1) + name);
    return { ...cost, nodes: cost.nodes + REFERENCE_NODES };
  }

  private costOfKeyword({ schema, keyword, value, path }: Entry): Cost {
    switch (kindOf(keyword)) {
      case "schema":
        return this.once(value, path);
      case "each":
        return this.each(value, path);
      case "schemas":
        return costOfParts(value, path, this.once);
      case "items":
        return Array.isArray(value) ? costOfParts(value, path, this.once) : this.each(value, path);
      case "named":
        return costOfParts(namesAt(value, path), path, this.property);
      case "patterns":
        return costOfParts(value, path, this.each);
      case "dependencies":
        return costOfParts(namesAt(value, path), path, this.dependency);
      case "reference":
        return this.referred(value);
      case "format":
        return COST_OF_FORMAT;
      case "unique":
        return costOfUnique(schema);
      case "length":
        return { ...FREE, nodes: 1, lengths: 1 };
      case "count":
      case "value":
        return costOfValue(value);
      // Patterns have budgets of their own, and a definition costs what each reference to it costs.
      default:
        return FREE;
    }
  }
}

function costOfParts(parts: unknown, path: string, costOf: CostOfPart): Cost {
  return sumOf(Object.entries(parts ?? {}).map(([name, part]) => costOf(part, `${path}/${name}`)));
}

function namesAt(value: unknown, path: string): unknown {
  if (Object.keys(value ?? {}).every((name) => name.length <= MAX_NAME_LENGTH)) return value;
  throw new SchemaProblem(`has a name of more than ${MAX_NAME_LENGTH} characters at ${path}`);
}
