export type FairQueueOptions<Item> = {
  ownerOf(item: Item): string;
  /** E.g. in bytes. */
  weigh(item: Item): number;
};

/** Items that wait, each in its owner's line: who has few of them does not wait for all of those who have many. */
export class FairQueue<Item> {
  /** In the order of their turns. One that is empty keeps its place until the next `take`, for what is put back. */
  private readonly lines = new Map<string, Item[]>();
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
    this.lineOf(item).push(item);
    this.count(item, 1);
  }

  /** What was taken and not used: before all else that its owners have waiting, in the order given. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) {
      this.lineOf(item).unshift(item);
      this.count(item, 1);
    }
  }

  /**
   * One of each owner in turn, an owner's in their order, up to so many; closed by the item that takes them to the weight.
   * The owner of the first is the last to have his turn the next time, so that each is the first at some time.
   */
  take(most: number, mostWeight: number): Item[] {
    this.dropEmpty();
    const items: Item[] = [];
    const leftOver = this.total - mostWeight;
    const hasRoom = () => this.items > 0 && items.length < most && this.total > leftOver;
    while (hasRoom()) {
      for (const line of this.lines.values()) {
        const item = hasRoom() ? line.shift() : undefined;
        if (item === undefined) continue;
        items.push(item);
        this.count(item, -1);
      }
    }
    this.rotate();
    return items;
  }

  private dropEmpty(): void {
    for (const [owner, line] of this.lines) if (line.length === 0) this.lines.delete(owner);
  }

  private rotate(): void {
    const [first] = this.lines;
    if (!first) return;
    this.lines.delete(first[0]);
    this.lines.set(...first);
  }

  private lineOf(item: Item): Item[] {
    const owner = this.options.ownerOf(item);
    const line = this.lines.get(owner) ?? [];
    this.lines.set(owner, line);
    return line;
  }

  private count(item: Item, by: 1 | -1): void {
    this.items += by;
    this.total += by * this.options.weigh(item);
  }
}
