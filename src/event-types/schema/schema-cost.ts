/** Upper bounds of judging data by a part of a schema. */
export type Cost = {
  /** JSON values of the schema that are looked at, references followed. */
  nodes: number;
  /** The ones among them that are looked at again for each item or property of the data. */
  repeated: number;
  /** How often the characters of one text may be counted. */
  lengths: number;
  /** Depth of nested schemas. */
  height: number;
};

const NODES_PER_DEPENDENT = 16;
/** Values that a text counts as: each reference to it is compiled with a copy. */
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

/** Cost of a value that data is compared with. */
export function costOfValue(value: unknown): Cost {
  return { ...FREE, nodes: countValues(value) };
}

/**
 * Cost of names that must all be present when another is. Ajv takes quadratic time to compile a list of them: 3.7 s for
 * 3,000 (measured). Judging data costs no more than for other keywords.
 */
export function costOfDependents(names: readonly unknown[]): Cost {
  return { ...FREE, nodes: 1 + NODES_PER_DEPENDENT * names.length };
}

function countValues(value: unknown): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_PER_NODE);
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}
