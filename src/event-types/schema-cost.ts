/** What judging data by a part of a schema costs at most. */
export type Cost = {
  /** JSON values of the schema that are looked at, references followed. */
  nodes: number;
  /** Those of them that are looked at again for each item or property of the data. */
  repeated: number;
  /** How often the characters of one text may be counted. */
  lengths: number;
  /** Schemas within each other. */
  height: number;
};

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

/** Of a value that data is compared with. */
export function costOfValue(value: unknown): Cost {
  return { ...FREE, nodes: countValues(value) };
}

function countValues(value: unknown): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}
