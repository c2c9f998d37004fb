import { sizeWithin } from "./data-size";
import type { Cost } from "./schema-cost";

/** Why a payload is refused that others of its request left too little for. */
export const TOO_MUCH_TOGETHER =
  "data is too expensive to validate in this request; send this item in a separate request";

/** Weight of the compiled schemas kept, in bytes, about: hundreds of ordinary ones. The least recently used go first. */
export const MAX_COMPILED_BYTES = 64 * 1024 * 1024;

/** What is left of an effort. */
export type EffortLeft = Readonly<{
  /** Steps of patterns, see `StepBudget`. */
  steps: number;
  /** What schemas look at, some of it again for each value. */
  comparisons: number;
  /** Characters, times how often schemas count them. */
  characters: number;
  /** Weight of newly compiled schemas, bytes. */
  compiled: number;
}>;

/** What judging the payloads of one request may take, be it one or a thousand. Each of the first three is about 0.1 s. */
export const WHOLE_EFFORT: EffortLeft = {
  steps: 10_000_000,
  comparisons: 10_000_000,
  characters: 50_000_000,
  compiled: MAX_COMPILED_BYTES,
};

/** Bounds what judging the payloads of one request takes. */
export class Effort {
  steps: number;
  comparisons: number;
  characters: number;
  compiled: number;

  constructor(left: EffortLeft = WHOLE_EFFORT) {
    this.steps = left.steps;
    this.comparisons = left.comparisons;
    this.characters = left.characters;
    this.compiled = left.compiled;
  }

  get left(): EffortLeft {
    const { steps, comparisons, characters, compiled } = this;
    return { steps, comparisons, characters, compiled };
  }

  /** Whether no payload was judged with it so far. */
  get isWhole(): boolean {
    return this.comparisons === WHOLE_EFFORT.comparisons;
  }

  /** Takes the most that judging data may take, but for patterns; false when less is left. */
  take(data: unknown, { nodes, repeated, lengths }: Cost): boolean {
    const values = (this.comparisons - nodes) / repeated;
    const size = sizeWithin({ values, characters: this.characters / lengths }, data);
    if (size === null) return false;
    this.comparisons -= nodes + size.values * repeated;
    this.characters -= size.characters * lengths;
    return true;
  }
}
