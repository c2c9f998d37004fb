import { DELIVERY_STATUSES, type DeliveryStatus } from "../../domain/delivery-status";

const SECOND_MS = 1_000;
/** Lengths of a bar, each a multiple of the one before, so that bars merge without being counted again. */
const BAR_LENGTHS_MS = [
  1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 6_048_000,
].map((seconds) => seconds * SECOND_MS);
/** Most lengths of a bar from the first counted delivery to the last. */
export const MOST_BARS = 60;

export type StatusCount = Record<DeliveryStatus, number>;

/** The deliveries that were accepted within a bar's time. `atMs` is its beginning, Unix milliseconds. */
export type Bar = { atMs: number } & StatusCount;

/** Counts deliveries by the time of their acceptance. Lengthens its bars as the range grows, so that memory stays small. */
export class AcceptanceHistogram {
  private readonly counts = new Map<number, StatusCount>();
  private level = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  get barMs(): number {
    return BAR_LENGTHS_MS[this.level] ?? SECOND_MS;
  }

  add(acceptedMs: number, status: DeliveryStatus): void {
    this.first = Math.min(this.first, acceptedMs);
    this.last = Math.max(this.last, acceptedMs);
    while (this.isTooFine()) this.lengthen();
    this.countsAt(acceptedMs)[status]++;
  }

  /** Returns all bars from the first delivery to the last, also the empty ones. */
  bars(): Bar[] {
    if (this.counts.size === 0) return [];
    const length = Math.floor(this.last / this.barMs) - Math.floor(this.first / this.barMs) + 1;
    const start = this.startOf(this.first);
    return Array.from({ length }, (_, n) => {
      const atMs = start + n * this.barMs;
      return { atMs, ...(this.counts.get(atMs) ?? noCounts()) };
    });
  }

  private isTooFine(): boolean {
    const span = Math.floor(this.last / this.barMs) - Math.floor(this.first / this.barMs);
    return span >= MOST_BARS && this.level < BAR_LENGTHS_MS.length - 1;
  }

  private lengthen(): void {
    const finer = [...this.counts];
    this.counts.clear();
    this.level++;
    for (const [atMs, counts] of finer) {
      const merged = this.countsAt(atMs);
      for (const status of DELIVERY_STATUSES) merged[status] += counts[status];
    }
  }

  private countsAt(ms: number): StatusCount {
    const start = this.startOf(ms);
    const known = this.counts.get(start);
    if (known) return known;
    const counts = noCounts();
    this.counts.set(start, counts);
    return counts;
  }

  private startOf(ms: number): number {
    return Math.floor(ms / this.barMs) * this.barMs;
  }
}

function noCounts(): StatusCount {
  return { pending: 0, delivered: 0, failed: 0, cancelled: 0 };
}
