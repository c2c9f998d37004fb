/** Draws random numbers from a seed (mulberry32): one seed gives one course of events. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns a whole number in [least, most]. */
  whole(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error("nothing to choose from");
    return choice;
  }

  /** Returns a new source, so that draws from one do not change the other. */
  fork(): Random {
    return new Random(this.next() * 2 ** 32);
  }
}
