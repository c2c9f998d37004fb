export type FairQueueOptions<Item> = {
  ownerOf(item: Item): string;
  /** Returns the weight of an item, such as its bytes. */
  weigh(item: Item): number;
  /** Most items of one owner in one `take` while other owners wait too. Unlimited by default. */
  mostOfOne?: number;
};

/** The waiting items of one owner, in order. */
type OwnerQueue<Item> = { items: Item[]; weight: number };

/** Queues items by owner, so an owner with few items does not wait behind all items of another. */
export class FairQueue<Item> {
  /** Lines in the order of their owners' turns. An empty one stays until the next `take`, for items that are put back. */
  private readonly lines = new Map<string, OwnerQueue<Item>>();
  private readonly held = new Set<string>();
  private items = 0;
  private total = 0;

  constructor(private readonly options: FairQueueOptions<Item>) {}

  get size(): number {
    return this.items;
  }

  get weight(): number {
    return this.total;
  }

  add(item: Item): void {
    const line = this.lineOf(item);
    line.items.push(item);
    this.count(line, item, 1);
  }

  /** Puts unused items back, in the given order, in front of their owners' other items. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) {
      const line = this.lineOf(item);
      line.items.unshift(item);
      this.count(line, item, 1);
    }
  }

  /** Excludes an owner's items from `take` until `release`. */
  hold(owner: string): void {
    this.held.add(owner);
  }

  isHeld(owner: string): boolean {
    return this.held.has(owner);
  }

  release(owner: string): void {
    this.held.delete(owner);
  }

  /**
   * Takes round-robin over owners, FIFO within an owner. Stops after `most` items, or with the item that reaches `mostWeight`.
   * Next time, the owner of the first item comes last, so that every owner is first at some time.
   */
  take(most: number, mostWeight: number): Item[] {
    this.dropEmpty();
    const items: Item[] = [];
    const leftOver = this.total - mostWeight;
    const hasRoom = () => items.length < most && this.total > leftOver;
    let lines = [...this.lines].flatMap(([owner, line]) => (this.held.has(owner) ? [] : [line]));
    const atATime = lines.length === 1 ? most : 1;
    const rounds = lines.length === 1 ? 1 : (this.options.mostOfOne ?? most);
    for (let round = 0; round < rounds && lines.length > 0 && hasRoom(); round++) {
      for (const line of lines) {
        for (let n = 0; n < atATime && hasRoom(); n++) {
          const item = line.items.shift();
          if (item === undefined) break;
          items.push(item);
          this.count(line, item, -1);
        }
      }
      lines = lines.filter((line) => line.items.length > 0);
    }
    this.rotate();
    return items;
  }

  /**
   * Removes the excess after `added` came: the newest items of the owner with most items. On a tie, it is the owner of `added`.
   */
  shed(added: Item, most: number, mostWeight: number): Item[] {
    const shed: Item[] = [];
    while (this.items > most || this.total > mostWeight) {
      const measure = this.items > most ? lengthOf : weightOf;
      let longest = this.lineOf(added);
      for (const line of this.lines.values()) if (measure(line) > measure(longest)) longest = line;
      const item = longest.items.pop();
      if (item === undefined) break;
      shed.push(item);
      this.count(longest, item, -1);
    }
    return shed;
  }

  private dropEmpty(): void {
    for (const [owner, { items }] of this.lines) if (items.length === 0) this.lines.delete(owner);
  }

  private rotate(): void {
    if (this.lines.size < 2) return;
    const [first] = this.lines;
    if (!first) return;
    this.lines.delete(first[0]);
    this.lines.set(...first);
  }

  private lineOf(item: Item): OwnerQueue<Item> {
    const owner = this.options.ownerOf(item);
    const known = this.lines.get(owner);
    if (known) return known;
    const line: OwnerQueue<Item> = { items: [], weight: 0 };
    this.lines.set(owner, line);
    return line;
  }

  private count(line: OwnerQueue<Item>, item: Item, by: 1 | -1): void {
    const weight = by * this.options.weigh(item);
    this.items += by;
    this.total += weight;
    line.weight += weight;
  }
}

function lengthOf({ items }: OwnerQueue<unknown>): number {
  return items.length;
}

function weightOf({ weight }: OwnerQueue<unknown>): number {
  return weight;
}
