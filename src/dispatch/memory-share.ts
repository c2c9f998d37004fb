import type { Budget } from "../runtime/budget";

/**
 * Most weight that all actors of a process hold, besides one delivery each and the results of running reads. Each actor has a
 * limit of its own, but thousands of endpoints may hang at once. While the budget is used up, actors take nothing from hints,
 * and one delivery at a time from Postgres. That is slower, but no endpoint stops.
 */
export const MAX_WEIGHT = 64 * 1_048_576;
/** Weight of a delivery beside its payload: its ids, and the objects that hold it. */
export const DELIVERY_WEIGHT = 512;

/** The part of the budget that one actor uses. A class, since a closure takes five times the memory (measured). */
export class MemoryShare {
  private weight = 0;

  constructor(private readonly memory: Pick<Budget, "change">) {}

  /** Sets how many deliveries the actor holds, and the characters of their payloads. */
  set(deliveries: number, characters: number): void {
    const before = this.weight;
    this.weight = deliveries * DELIVERY_WEIGHT + characters;
    this.memory.change(this.weight - before);
  }
}
