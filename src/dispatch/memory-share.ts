/** Most weight that all actors hold, besides one delivery each and the results of running reads. */
const MAX_HELD = 64 * 1_048_576;
/** Weight of a delivery beside its payload: its ids, and the objects that hold it. */
const DELIVERY_WEIGHT = 512;

/**
 * Limits the deliveries that a process holds in memory. Each actor has a limit of its own, but thousands of endpoints may
 * hang at once. While the budget is used up, actors take nothing from hints, and one delivery at a time from Postgres.
 * That is slower, but no endpoint stops.
 */
export class MemoryBudget {
  private weight = 0;

  constructor(private readonly most = MAX_HELD) {}

  /** The weight of all actors' deliveries. */
  get held(): number {
    return this.weight;
  }

  get isFull(): boolean {
    return this.weight >= this.most;
  }

  /** Returns the share of a new actor, which is empty. */
  share(): MemoryShare {
    return new MemoryShare(this);
  }

  /** Adds to the weight, or subtracts from it. */
  change(weight: number): void {
    this.weight += weight;
  }
}

/** The part of the budget that one actor uses. A class, since a closure takes five times the memory (measured). */
export class MemoryShare {
  private weight = 0;

  constructor(private readonly memory: Pick<MemoryBudget, "change">) {}

  /** Sets how many deliveries the actor holds, and the characters of their payloads. */
  set(deliveries: number, characters: number): void {
    const before = this.weight;
    this.weight = deliveries * DELIVERY_WEIGHT + characters;
    this.memory.change(this.weight - before);
  }
}
