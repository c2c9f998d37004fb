import { BoundedMap } from "./bounded-map";
import type { Clock } from "./clock";

export type FreshCacheOptions<K, Source, V extends object | null> = {
  clock: Clock;
  /** Reads the value of a key. */
  read(key: K, source: Source): Promise<V>;
  /** How long a value is trusted after its reading began, milliseconds. */
  trustMs: number;
  /** From this age on, a value that is used is read anew beside its use. */
  refreshAfterMs: number;
  /** Beyond it, what was not read for the longest time goes first. */
  maxEntries: number;
  /** False for a value that is not worth keeping. */
  isKept?(value: V): boolean;
};

type Entry<V> = { value: V; readAt: number };

/**
 * Values that are read elsewhere and may be a little old. What is in use is refreshed before its trust ends,
 * so using it stays synchronous. Readings of one key at the same time are one.
 */
export class FreshCache<K, Source, V extends object | null> {
  private readonly entries: BoundedMap<K, Entry<V>>;
  private readonly readings = new Map<K, Promise<V>>();

  constructor(private readonly options: FreshCacheOptions<K, Source, V>) {
    this.entries = new BoundedMap(options.maxEntries);
  }

  /** The value, if one can be trusted now. */
  fresh(key: K, source: Source): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const age = this.options.clock.monotonic() - entry.readAt;
    if (age >= this.options.trustMs) return undefined;
    // If the reading fails, the value's trust runs out and the next use meets the failure itself.
    if (age >= this.options.refreshAfterMs && !this.readings.has(key)) this.load(key, source).catch(() => {});
    return entry.value;
  }

  /** Reads the value; rejects as the reading does. */
  load(key: K, source: Source): Promise<V> {
    const running = this.readings.get(key);
    if (running) return running;
    const readAt = this.options.clock.monotonic();
    const reading: Promise<V> = this.options
      .read(key, source)
      .then((value) => {
        // Forgotten in the meantime: it answers those who waited for it, no others.
        if (this.readings.get(key) === reading) this.keep(key, { value, readAt });
        return value;
      })
      .finally(() => {
        if (this.readings.get(key) === reading) this.readings.delete(key);
      });
    this.readings.set(key, reading);
    return reading;
  }

  /** What was read of a key, or of all, is no longer trusted; nor is what is being read. */
  forget(key?: K): void {
    if (key === undefined) {
      this.entries.clear();
      this.readings.clear();
    } else {
      this.entries.delete(key);
      this.readings.delete(key);
    }
  }

  private keep(key: K, entry: Entry<V>): void {
    if (this.options.isKept?.(entry.value) === false) this.entries.delete(key);
    else this.entries.set(key, entry);
  }
}
