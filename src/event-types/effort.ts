import { sizeWithin } from "./data-size";
import type { Cost } from "./schema-cost";

/** Why a payload is refused that others of its request left too little for. */
export const TOO_MUCH_TOGETHER =
  "data takes, with the items before it, more to match against schemas than one request may: send it in another";

/**
 * Compiled schemas kept, about, in bytes: some hundreds, of 100 KB when they are ordinary, of 4 MiB when they are as
 * large as they may be. Beyond it those not used for longest go.
 */
export const MAX_COMPILED_BYTES = 64 * 1024 * 1024;

/**
 * What judging the payloads of one request may still take, be it one or a thousand. Of the first three each is about
 * a tenth of a second.
 */
export class Effort {
  /** Steps of the patterns of schemas, see `StepBudget`: most matches take far fewer. */
  steps = 10_000_000;
  /** What schemas look at, some of it again for each value. */
  comparisons = 10_000_000;
  /** Characters, times how often schemas count them. */
  characters = 50_000_000;
  /**
   * What newly compiled schemas weigh, in bytes: as much as is kept of them, so that nobody is refused for having many
   * ordinary ones. They are compiled in turns (see `SchemaTurns`), so it is the request that waits, and no other.
   */
  compiled = MAX_COMPILED_BYTES;
  /** Whether nothing was taken so far. */
  isWhole = true;

  /** Takes what judging data takes at most, but for patterns; false when there is not as much. */
  take(data: unknown, { nodes, repeated, lengths }: Cost): boolean {
    const values = (this.comparisons - nodes) / repeated;
    const size = sizeWithin({ values, characters: this.characters / lengths }, data);
    if (size === null) return false;
    this.isWhole = false;
    this.comparisons -= nodes + size.values * repeated;
    this.characters -= size.characters * lengths;
    return true;
  }
}
