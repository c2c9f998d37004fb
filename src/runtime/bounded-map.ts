/**
 * Share of the limit that a map frees at once. Finding the oldest entry passes over all entries removed since the runtime last
 * compacted the map. Removing one at a time takes eleven times as long per entry (measured with 8,192 entries).
 */
const FREED_SHARE = 1 / 8;

/** A map that removes its oldest entries when their total weight exceeds `limit`. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();
  private weight = 0;

  /** Without `weigh` the limit is a number of entries. */
  constructor(
    private readonly limit: number,
    private readonly weigh: (value: V) => number = () => 1,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  delete(key: K): void {
    if (!this.entries.has(key)) return;
    this.weight -= this.weigh(this.entries.get(key) as V);
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.weight = 0;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    this.weight += this.weigh(value);
    if (this.weight > this.limit) this.forgetOldest(key);
  }

  private forgetOldest(newest: K): void {
    const enough = this.limit - Math.floor(this.limit * FREED_SHARE);
    for (const oldest of this.entries.keys()) {
      if (this.weight <= (oldest === newest ? this.limit : enough)) return;
      this.delete(oldest);
    }
  }
}
