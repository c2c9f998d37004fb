import { isWrittenNumber } from "../../runtime/text/exact-json";

/** Upper bounds of the cost of validating data with a part of a schema. */
export type Cost = {
  /** Number of JSON values of the schema that are read, including the targets of references. */
  nodes: number;
  /** Number of these values that are read again for each item or property of the data. */
  repeated: number;
  /** Number of times that the characters of one text may be counted. */
  lengths: number;
  /** Depth of nested schemas. */
  height: number;
};

const NODES_PER_DEPENDENT = 16;
/** A text counts as one value per this many characters, since each reference to it is compiled with a copy. */
const CHARACTERS_PER_NODE = 256;

export const FREE: Cost = { nodes: 0, repeated: 0, lengths: 0, height: 0 };

export function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (sum, each) => ({
      nodes: sum.nodes + each.nodes,
      repeated: sum.repeated + each.repeated,
      lengths: sum.lengths + each.lengths,
      height: Math.max(sum.height, each.height),
    }),
    FREE,
  );
}

/** Returns the cost of a value with which data is compared. */
export function costOfValue(value: unknown): Cost {
  return { ...FREE, nodes: countValues(value) };
}

/**
 * Returns the cost of names that must all be present if another is. Ajv takes quadratic time to compile a list of them: 3.7 s
 * for 3,000 (measured). Validating data costs no more than with other keywords.
 */
export function costOfDependents(names: readonly unknown[]): Cost {
  return { ...FREE, nodes: 1 + NODES_PER_DEPENDENT * names.length };
}

function countValues(value: unknown): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_PER_NODE);
  if (value === null || typeof value !== "object" || isWrittenNumber(value)) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}
