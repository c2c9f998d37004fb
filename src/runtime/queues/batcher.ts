import type { Clock } from "../clock";
import { FairQueue } from "./fair-queue";

/** `submit` rejects with this when the queue is full; nothing was done. */
export class QueueFull extends Error {
  constructor() {
    super("the queue is full");
    this.name = "QueueFull";
  }
}

export type BatcherOptions<In, Out> = {
  /**
   * Does the work of a batch. Returns results in the order of the items, with promises for items that settle
   * separately. A rejection rejects the whole batch; see `mayBeOneItem`.
   */
  run(items: In[]): Promise<(Out | Promise<Out>)[]>;
  /** True if a single item may have caused the rejection; then each item is tried alone. */
  mayBeOneItem?(reason: unknown): boolean;
  /** Most items in one batch. */
  maxItems: number;
  /** Weight of an item, e.g. in bytes; 0 by default. */
  weigh?(item: In): number;
  /** The item that reaches this weight closes its batch. */
  maxWeight?: number;
  /** Most concurrent batches. */
  maxRunning: number;
  /**
   * Delays a batch that would run beside another, if it is much smaller than the last one or is the rest of a batch that
   * reached a limit. So batches grow with the load, and items that arrived together keep their order. A batch that runs longer
   * than the patience probably waits for a lock, and delays no other.
   */
  inTurn?: { patience: { ms: number; clock: Pick<Clock, "after"> } | null };
  /** Most waiting items. */
  maxQueued: number;
  /** Most waiting weight. Beyond either limit, the owner with most waiting items loses its newest item. */
  maxQueuedWeight?: number;
  /** Returns the error for an item that is obsolete when its batch starts; null for others. */
  cancelled?(item: In): Error | null;
  /** The owner of an item: owners take turns within each batch. One owner by default. */
  ownerOf?(item: In): string;
};

/**
 * Smallest size of a batch beside another, relative to the last batch. Near 1, every second batch is delayed for being slightly
 * smaller (observed: 28 and 36 in turns). A process with the API only accepts most with 0.6 and 0.7, 5 % less with 0.4 or 0.9,
 * 10 % less with 0.1 (measured).
 */
const BESIDE_SHARE = 0.6;

/**
 * Most items of one owner in a batch with other owners' items. Other owners' items would wait for all of a large batch,
 * such as a commit of 500.
 */
export const MOST_OF_ONE = 25;

type QueuedItem<In, Out> = {
  item: In;
  weight: number;
  resolve(out: Out | Promise<Out>): void;
  reject(reason: unknown): void;
};

/**
 * Runs items in batches: items submitted while batches run go together into the next one. So batches grow with the load, and
 * a lone item waits only while another batch runs.
 */
export class Batcher<In, Out> {
  private readonly waiting: FairQueue<QueuedItem<In, Out>>;
  private running = 0;
  private lastCount = 0;
  private wasCut = false;
  /** Running batches that still delay others: they have run for less than the patience. */
  private readonly delaying = new Set<QueuedItem<In, Out>[]>();
  private scheduled = false;
  private idle: (() => void)[] = [];

  constructor(private readonly options: BatcherOptions<In, Out>) {
    this.waiting = new FairQueue({
      ownerOf: ({ item }) => options.ownerOf?.(item) ?? "",
      weigh: ({ weight }) => weight,
      mostOfOne: MOST_OF_ONE,
    });
  }

  /** Number of items that wait for a batch. */
  get queued(): number {
    return this.waiting.size;
  }

  /** Resolves with the item's own result. Rejects with `QueueFull` when the queue is full. */
  submit(item: In): Promise<Out> {
    const weight = this.options.weigh?.(item) ?? 0;
    return new Promise((resolve, reject) => {
      const waiting = { item, weight, resolve, reject };
      this.waiting.add(waiting);
      this.shed(waiting);
      this.schedule();
    });
  }

  /** Resolves once no item waits and no batch runs. */
  drained(): Promise<void> {
    if (this.running === 0 && this.waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private shed(added: QueuedItem<In, Out>): void {
    const { maxQueued, maxQueuedWeight = Number.POSITIVE_INFINITY } = this.options;
    if (this.waiting.size <= maxQueued && this.waiting.weight <= maxQueuedWeight) return;
    for (const { reject } of this.waiting.shed(added, maxQueued, maxQueuedWeight)) reject(new QueueFull());
  }

  // Starts a batch one turn of the event loop later, so that items that arrived together go together.
  private schedule(): void {
    if (this.scheduled || this.running >= this.options.maxRunning) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.startBatch();
    });
  }

  private startBatch(): void {
    if (this.waiting.size === 0 || this.holdsBack()) return;
    const { inTurn, maxItems, maxWeight = Number.POSITIVE_INFINITY } = this.options;
    const batch = this.waiting.take(maxItems, maxWeight).filter((each) => !this.isCancelled(each));
    if (batch.length === 0) {
      this.goOn();
      return;
    }
    this.lastCount = batch.length;
    this.wasCut = this.waiting.size > 0;
    this.running++;
    if (inTurn) this.delaying.add(batch);
    const cancel = inTurn?.patience?.clock.after(inTurn.patience.ms, () => {
      this.delaying.delete(batch);
      this.schedule();
    });
    this.runBatch(batch).finally(() => {
      cancel?.();
      this.ended(batch);
    });
    if (this.waiting.size > 0) this.schedule();
  }

  private isCancelled({ item, reject }: QueuedItem<In, Out>): boolean {
    const reason = this.options.cancelled?.(item) ?? null;
    if (reason !== null) reject(reason);
    return reason !== null;
  }

  private ended(batch: QueuedItem<In, Out>[]): void {
    this.delaying.delete(batch);
    this.running--;
    this.goOn();
  }

  private goOn(): void {
    if (this.waiting.size > 0) this.schedule();
    else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  private holdsBack(): boolean {
    if (this.delaying.size === 0) return false;
    const isTooSmall = this.waiting.size < BESIDE_SHARE * this.lastCount && !this.isWhole();
    return isTooSmall || this.wasCut;
  }

  /** True if the waiting items fill a batch. */
  private isWhole(): boolean {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY } = this.options;
    return this.waiting.size >= maxItems || this.waiting.weight >= maxWeight;
  }

  private async runBatch(batch: QueuedItem<In, Out>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map((each) => each.item));
      batch.forEach((each, i) => {
        each.resolve(results[i] as Out);
      });
    } catch (reason) {
      if (batch.length > 1 && this.options.mayBeOneItem?.(reason)) await this.runAlone(batch);
      else for (const each of batch) each.reject(reason);
    }
  }

  private async runAlone(batch: QueuedItem<In, Out>[]): Promise<void> {
    for (const each of batch) await this.runBatch([each]);
  }
}
