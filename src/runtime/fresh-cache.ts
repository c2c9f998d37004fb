import { BoundedMap } from "./bounded-map";
import type { Clock } from "./clock";

export type FreshCacheOptions<K, Source, V extends object | null> = {
  clock: Clock;
  /** Reads the value of a key. */
  read(key: K, source: Source): Promise<V>;
  /** A value is trusted for this long from the start of its read. */
  trustMs: number;
  /** From this age on, using a value also starts a new read. */
  refreshAfterMs: number;
  /** Most entries. One more removes the entry that was read longest ago. */
  maxEntries: number;
  /** Returns the number of entries that a value counts as; 1 by default. */
  weigh?(value: V): number;
  /** Returns false for a value that must not be kept. */
  isKept?(value: V): boolean;
};

type CachedValue<V> = { value: V; readAt: number };

/**
 * Caches values that may be slightly old. A value in use is refreshed before its trust ends, so using it stays
 * synchronous. Concurrent reads of a key share one read.
 */
export class FreshCache<K, Source, V extends object | null> {
  private readonly entries: BoundedMap<K, CachedValue<V>>;
  private readonly readings = new Map<K, Promise<V>>();

  constructor(private readonly options: FreshCacheOptions<K, Source, V>) {
    this.entries = new BoundedMap(options.maxEntries, ({ value }) => options.weigh?.(value) ?? 1);
  }

  /** Returns the value, if one is trusted now. */
  fresh(key: K, source: Source): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const age = this.options.clock.monotonic() - entry.readAt;
    if (age >= this.options.trustMs) return undefined;
    // If the read fails, the trust runs out and the next use gets the failure itself.
    if (age >= this.options.refreshAfterMs && !this.readings.has(key)) this.load(key, source).catch(() => {});
    return entry.value;
  }

  /** Reads the value; rejects as the read does. */
  load(key: K, source: Source): Promise<V> {
    const running = this.readings.get(key);
    if (running) return running;
    const readAt = this.options.clock.monotonic();
    const reading: Promise<V> = this.options
      .read(key, source)
      .then((value) => {
        // If the key was removed meanwhile, only the waiting callers get the value.
        if (this.readings.get(key) === reading) this.keep(key, { value, readAt });
        return value;
      })
      .finally(() => {
        if (this.readings.get(key) === reading) this.readings.delete(key);
      });
    this.readings.set(key, reading);
    return reading;
  }

  /** Distrusts the value of a key, or all values, including reads in progress. */
  forget(key?: K): void {
    if (key === undefined) {
      this.entries.clear();
      this.readings.clear();
    } else {
      this.entries.delete(key);
      this.readings.delete(key);
    }
  }

  private keep(key: K, entry: CachedValue<V>): void {
    if (this.options.isKept?.(entry.value) === false) this.entries.delete(key);
    else this.entries.set(key, entry);
  }
}
