import type { Cost } from "./schema-cost";

/** The refusal of a payload after the request's other payloads used up the budget. */
export const TOO_MUCH_TOGETHER =
  "data is too expensive to validate in this request; send this item in a separate request";

/**
 * Most bytes of stored compiled schemas, by their estimated weight: hundreds of ordinary ones. The least recently used are
 * removed first.
 */
export const MAX_COMPILED_BYTES = 64 * 1024 * 1024;

/** The rest of a budget. */
export type MatchBudgetLeft = Readonly<{
  /** Steps of patterns. See `StepBudget`. */
  steps: number;
  /** Values of the schema that are read, counted again for each value of the data. */
  comparisons: number;
  /** Characters, multiplied by the number of times that schemas count them. */
  characters: number;
  /** Weight of newly compiled schemas, in bytes. */
  compiled: number;
}>;

/** Most work for one request's payloads, whether one or a thousand. Each of the first three takes about 0.1 s. */
export const WHOLE_MATCH_BUDGET: MatchBudgetLeft = {
  steps: 10_000_000,
  comparisons: 10_000_000,
  characters: 50_000_000,
  compiled: MAX_COMPILED_BYTES,
};

/** Bounds the work of validating one request's payloads. */
export class MatchBudget {
  steps: number;
  comparisons: number;
  characters: number;
  compiled: number;

  constructor(left: MatchBudgetLeft = WHOLE_MATCH_BUDGET) {
    this.steps = left.steps;
    this.comparisons = left.comparisons;
    this.characters = left.characters;
    this.compiled = left.compiled;
  }

  get left(): MatchBudgetLeft {
    const { steps, comparisons, characters, compiled } = this;
    return { steps, comparisons, characters, compiled };
  }

  /** True if no payload has used the budget so far. */
  get isWhole(): boolean {
    return this.comparisons === WHOLE_MATCH_BUDGET.comparisons;
  }

  /** Charges the upper bound of the cost for data, without patterns. Returns false if less is left. */
  take(data: unknown, { nodes, repeated, lengths }: Cost): boolean {
    const values = (this.comparisons - nodes) / repeated;
    const size = sizeWithin({ values, characters: this.characters / lengths }, data);
    if (size === null) return false;
    this.comparisons -= nodes + size.values * repeated;
    this.characters -= size.characters * lengths;
    return true;
  }
}

export type DataSize = {
  /** JSON values, including nested ones. */
  values: number;
  /** Characters of all texts and names. */
  characters: number;
};

/** Measures data. Returns null as soon as a measure exceeds `most`. */
export function sizeWithin(most: DataSize, data: unknown): DataSize | null {
  const size = { values: 0, characters: 0 };
  // Without recursion, since data may be nested deeper than the stack allows.
  const waiting: unknown[] = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    size.values++;
    if (typeof value === "string") size.characters += value.length;
    else if (Array.isArray(value)) for (const part of value) waiting.push(part);
    else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        size.characters += name.length;
        waiting.push(part);
      }
    }
    if (size.values > most.values || size.characters > most.characters) return null;
  }
  return size;
}
