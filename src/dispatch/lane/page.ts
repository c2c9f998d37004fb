import type { PendingDelivery } from "../../domain/pending-delivery";
import type { Ordering } from "../../domain/tuning";
import {
  bounded,
  closed,
  type Hold,
  isFoundByTime,
  type Lane,
  NONE_HELD,
  NOTHING,
  orderOf,
  startedOver,
  withoutWaits,
} from "./lane-state";

/** A lane's request to Postgres. */
export type ReadRequest = Readonly<{
  /** The lane's tail. Deliveries behind it are scanned, unless `scans` is false. */
  after: number;
  scans: boolean;
  /** Held orders whose first deliveries are wanted, each from a sequence up to the tail. */
  orders: readonly Readonly<{ order: string; from: number }>[];
  /** Orders that the scan skips, since they are held or have a delivery in flight. */
  passed: readonly string[];
  /** Sequences of deliveries in flight. */
  inFlight: readonly number[];
  /** True if the lane does not know all held orders. Then Postgres decides which retries are due, and what is first of its key. */
  isCrowded: boolean;
}>;

/** An endpoint's pending deliveries at one moment. */
export type Page =
  /** The endpoint is deleted, or belongs to another partition. */
  | Readonly<{ kind: "gone" }>
  | Readonly<{ kind: "inactive" }>
  /** The receiver asked for a rest of `forMs` more. */
  | Readonly<{ kind: "resting"; forMs: number }>
  | ActivePage;

export type ActivePage = Readonly<{
  kind: "active";
  ordering: Ordering;
  maxInFlight: number;
  batchSize: number;
  /** Counts how often another process took deliveries out of the endpoint's queue. */
  queueRevision: number;
  /** The last sequence given out. */
  lastSequence: number;
  /** Due retries, if they were asked for by time, and whether there are more. */
  retries: readonly PendingDelivery[];
  hasMoreRetries: boolean;
  /** When the next retry is due, if they were asked for by time; null: none waits. */
  firstRetryInMs: number | null;
  /** True if few retries of a crowded endpoint still wait, so that the lane can know all held orders again. */
  isUncrowded: boolean;
  /** The orders that were asked for. */
  orders: readonly OrderPage[];
  /** The deliveries that the scan found, in sequence. */
  scanned: readonly FoundDelivery[];
  /** Orders that the scan skipped as requested. */
  passed: readonly string[];
  /** Up to this sequence the scan left nothing out but the skipped orders. */
  scannedTo: number;
}>;

/** The first deliveries of one order, in sequence. */
export type OrderPage = Readonly<{
  order: string;
  found: readonly FoundDelivery[];
  /** True when there are no others up to the tail. */
  isWhole: boolean;
  /** Up to this sequence the order has nothing else. */
  lookedTo: number;
}>;

/** A pending delivery that a read found. */
export type FoundDelivery = Readonly<{
  sequence: number;
  orderingKey: string | null;
  /** Null if it waits for its retry, or did not fit into the page. */
  delivery: PendingDelivery | null;
  /** Milliseconds until its retry; null: it may be attempted now. */
  retryInMs: number | null;
}>;

/** Most deliveries of one key in memory, so that a busy key leaves room for the others. Unless a request may have more. */
export const KEY_DELIVERIES = 8;

/** Returns true if a lane has enough deliveries of one key in memory. */
export function isKeyFull({ ordering, batchSize }: Lane, count: number): boolean {
  return ordering === "by_key" && count >= Math.max(KEY_DELIVERIES, batchSize);
}

/** Adds a page to what a lane knows. */
export function takePage(lane: Lane, page: Page, now: number): Lane {
  if (page.kind === "gone") return closed(lane);
  // The endpoint changed during the read, so the page may be older than the change.
  if (lane.settings === "outdated") return lane;
  if (page.kind === "inactive") return { ...startedOver(lane), phase: "paused" };
  if (page.kind === "resting") return { ...startedOver(lane), phase: "paused", retryAt: now + page.forMs };
  const { ordering, maxInFlight, batchSize, queueRevision, lastSequence } = page;
  const isRevised = lane.queueRevision !== null && lane.queueRevision !== queueRevision;
  const known = { ...lane, ordering, maxInFlight, batchSize, queueRevision };
  const isForeign = lane.ordering !== ordering && !isBlank(lane);
  // Postgres lost commits, as a promoted standby may. The same numbers may belong to other deliveries now.
  const isBehind = lastSequence < lane.tail;
  const isCrowdOver = lane.isCrowded && (isRevised || page.isUncrowded);
  if (isForeign || isBehind || isCrowdOver) return startedOver(known);
  const checked = isRevised ? { ...known, held: withoutWaits(lane.held), checkedAt: now } : known;
  return bounded(new PageTaker(checked, page, now).take());
}

/** Returns true if the lane's request is the same for every ordering. */
function isBlank({ tail, held, inFlight, isCrowded }: Lane): boolean {
  return tail === 0 && held.size === 0 && inFlight.length === 0 && !isCrowded;
}

/** Takes the deliveries of a page into a lane that has none ready. */
class PageTaker {
  private readonly ready: PendingDelivery[] = [];
  private readonly sequences = new Set<number>();
  /** Orders that were asked for, and of which nothing up to the old tail is left in Postgres. */
  private readonly whole = new Set<string>();
  private readonly held: Map<string, Hold>;
  private retryAt: number;

  constructor(
    private readonly lane: Lane,
    private readonly page: ActivePage,
    private readonly now: number,
  ) {
    this.held = new Map(lane.held);
    this.retryAt = lane.retryAt;
  }

  take(): Lane {
    const { lane, page } = this;
    for (const delivery of page.retries) this.add(delivery);
    for (const order of page.orders) this.takeOrder(order);
    const tail = Math.max(lane.tail, this.takeScan());
    if (tail > lane.tail) this.holdPassedOver();
    if (page.firstRetryInMs !== null) this.noteRetry(page.firstRetryInMs);
    const { ready, held, retryAt } = this;
    return {
      ...lane,
      settings: "known",
      tail,
      seen: Math.max(lane.seen, page.lastSequence),
      hasMore: lane.hasMore || page.hasMoreRetries,
      ready: ready.length === 0 ? NOTHING : ready,
      held: held.size === 0 ? NONE_HELD : held,
      retryAt,
    };
  }

  private takeOrder({ order, found, isWhole, lookedTo }: OrderPage): void {
    for (const each of found) {
      if (each.retryInMs !== null || each.delivery === null) {
        this.holdAt(order, each.sequence - 1, each.retryInMs);
        return;
      }
      this.add(each.delivery);
    }
    if (!isWhole) this.holdAt(order, lookedTo, null);
    else {
      this.release(order);
      this.whole.add(order);
    }
  }

  /** Returns the new tail. */
  private takeScan(): number {
    const passed = new Set<string>();
    for (const each of this.page.scanned) {
      const order = orderOf(this.lane.ordering, each);
      if (passed.has(order)) continue;
      if (each.retryInMs === null && !isKeyFull(this.lane, this.countOf(order))) {
        if (each.delivery === null) return each.sequence - 1;
        this.add(each.delivery);
        continue;
      }
      passed.add(order);
      this.holdAt(order, each.sequence - 1, each.retryInMs);
    }
    return this.page.scannedTo;
  }

  private add(delivery: PendingDelivery): void {
    const { sequence } = delivery;
    // A due retry may also be the first delivery of an order that was asked for.
    if (this.sequences.has(sequence)) return;
    this.sequences.add(sequence);
    this.ready.push(delivery);
  }

  private countOf(order: string): number {
    return this.ready.filter((each) => orderOf(this.lane.ordering, each) === order).length;
  }

  /** Holds an order from a sequence on, since its first delivery waits for a retry or for another page. */
  private holdAt(order: string, from: number, retryInMs: number | null): void {
    if (retryInMs !== null && isFoundByTime(this.lane, order)) {
      this.noteRetry(retryInMs);
      this.release(order);
    } else this.held.set(order, { from, until: retryInMs === null ? 0 : this.now + retryInMs });
  }

  private release(order: string): void {
    this.held.delete(order);
  }

  private noteRetry(inMs: number): void {
    this.retryAt = Math.min(this.retryAt, this.now + inMs);
  }

  /** Holds the orders that the scan skipped, since more of them may follow the old tail. */
  private holdPassedOver(): void {
    const { passed, ordering } = this.page;
    const { tail } = this.lane;
    if (ordering === "unordered") return;
    for (const order of passed) {
      if (isFoundByTime(this.lane, order) && !this.whole.has(order)) continue;
      const { from, until } = this.held.get(order) ?? { from: tail, until: 0 };
      this.held.set(order, { from: Math.min(from, tail), until });
    }
  }
}
