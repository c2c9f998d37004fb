/** What the actors of a process hold together, but for one delivery each and what reads under way bring; payload characters. */
const MAX_HELD = 64 * 1_048_576;
/** What a delivery counts beside its payload: its identifiers, and the objects that hold it. */
const DELIVERY_WEIGHT = 512;

/**
 * How much of what waits a process has at hand. A mailbox has a bound of its own, but thousands of endpoints that hang or
 * fall behind at once fill thousands of them. While there is no room, actors take nothing from messages, and from Postgres
 * one delivery at a time: slower, and always enough to go on.
 */
export class MemoryBudget {
  private weight = 0;

  constructor(private readonly most = MAX_HELD) {}

  /** What all actors hold. */
  get held(): number {
    return this.weight;
  }

  get isFull(): boolean {
    return this.weight >= this.most;
  }

  /** For an actor, which holds nothing yet. */
  share(): MemoryShare {
    return new MemoryShare(this);
  }

  /** What all actors hold is so much more, or less. */
  change(weight: number): void {
    this.weight += weight;
  }
}

/** What one actor holds. There are as many as endpoints at rest, so it is no closure (measured: five times the memory). */
export class MemoryShare {
  private weight = 0;

  constructor(private readonly memory: Pick<MemoryBudget, "change">) {}

  /** So many deliveries, with so many characters of payload, from now on. */
  set(deliveries: number, characters: number): void {
    const before = this.weight;
    this.weight = deliveries * DELIVERY_WEIGHT + characters;
    this.memory.change(this.weight - before);
  }
}
