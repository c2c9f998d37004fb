import type { Clock } from "./clock";
import { FairQueue } from "./fair-queue";

/** What `submit` rejects with when the queue is at its bound; nothing was done. */
export class QueueFull extends Error {
  constructor() {
    super("the queue is full");
    this.name = "QueueFull";
  }
}

export type BatcherOptions<In, Out> = {
  /**
   * Does the work of a batch; answers in the order of the items, with promises for those that are settled by themselves. A
   * rejection rejects the whole batch…
   */
  run(items: In[]): Promise<(Out | Promise<Out>)[]>;
  /** …unless this says that one item may be to blame: then each is tried alone. */
  mayBeOneItem?(reason: unknown): boolean;
  /** Most items in one batch. */
  maxItems: number;
  /** What an item weighs, e.g. in bytes; without it nothing does. */
  weigh?(item: In): number;
  /** A batch is closed by the item that takes it to this weight. */
  maxWeight?: number;
  /** Most batches under way at once. */
  maxRunning: number;
  /**
   * Batches are done one after the other, as a rule, however many are under way. Then there is no hurry for the next one:
   * it waits to be more than half as large as the one before, so that batches grow with the load all the same. What a bound
   * cut off from a batch waits for its end: what arrived together is done in the order it arrived in.
   */
  inTurn?: boolean;
  /**
   * While a batch has been under way for less than so many milliseconds none begins beside it: nearly all are over by
   * then, and the next one is the larger for it.
   */
  patience?: { ms: number; clock: Pick<Clock, "after"> };
  /** When to rather begin batches late than small. */
  gathering?: Gathering;
  /** Most items that wait for a batch… */
  maxQueued: number;
  /** …and most weight. Beyond either, the newest is refused of the owner who has most waiting. */
  maxQueuedWeight?: number;
  /** Whose an item is: owners take turns within each batch. Without it there is one. */
  ownerOf?(item: In): string;
};

/**
 * While it is on, a batch in turn does not go ahead, and after the end of a batch the next one waits for company: until it is
 * nearly as large as that one, and so many milliseconds at most.
 */
export type Gathering = {
  isOn(): boolean;
  ms: number;
  clock: Pick<Clock, "after">;
};

/**
 * How large a batch in turn is that goes ahead, against the one before. Were it nearly all of it, every second one would be
 * held back for being a little smaller (seen: 28 and 36 in turns). Measured, an API alone accepts most with 0.6 and 0.7: a
 * twentieth less with 0.4 or 0.9, a tenth less with 0.1.
 */
const AHEAD_SHARE = 0.6;
/**
 * How large a batch is, against the one before, when it is gathered no longer: the last few of a crowd may never come. Measured,
 * two APIs and two dispatchers on two cores accept and deliver a fiftieth less with 0.8.
 */
const GATHERED_SHARE = 0.95;

type Waiting<In, Out> = {
  item: In;
  weight: number;
  resolve(out: Out | Promise<Out>): void;
  reject(reason: unknown): void;
};

/**
 * Group commit: what is submitted while batches are under way goes together in the next one, so a batch
 * grows with the load, and a lone item waits for no company unless another batch is under way.
 */
export class Batcher<In, Out> {
  private readonly waiting: FairQueue<Waiting<In, Out>>;
  private running = 0;
  private lastCount = 0;
  private wasCut = false;
  /** The batch that none may begin beside yet. */
  private young: Waiting<In, Out>[] | null = null;
  private scheduled = false;
  /** Ends the time in which the next batch waits for company; null: it does not. */
  private cancelGathering: (() => void) | null = null;
  private idle: (() => void)[] = [];

  constructor(private readonly options: BatcherOptions<In, Out>) {
    this.waiting = new FairQueue({
      ownerOf: ({ item }) => options.ownerOf?.(item) ?? "",
      weigh: ({ weight }) => weight,
    });
  }

  /** Items waiting for a batch. */
  get queued(): number {
    return this.waiting.size;
  }

  /** Resolves with the item's own result. Rejects with `QueueFull` at the bound. */
  submit(item: In): Promise<Out> {
    const weight = this.options.weigh?.(item) ?? 0;
    return new Promise((resolve, reject) => {
      const waiting = { item, weight, resolve, reject };
      this.waiting.add(waiting);
      this.shed(waiting);
      this.schedule();
    });
  }

  /** Resolves once nothing waits and nothing is under way. */
  drained(): Promise<void> {
    if (this.running === 0 && this.waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private shed(added: Waiting<In, Out>): void {
    const { maxQueued, maxQueuedWeight = Number.POSITIVE_INFINITY } = this.options;
    if (this.waiting.size <= maxQueued && this.waiting.weight <= maxQueuedWeight) return;
    for (const { reject } of this.waiting.shed(added, maxQueued, maxQueuedWeight)) reject(new QueueFull());
  }

  // A turn of the event loop lets everything that arrived together leave together.
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
    this.stopGathering();
    const { patience, maxItems, maxWeight = Number.POSITIVE_INFINITY } = this.options;
    const batch = this.waiting.take(maxItems, maxWeight);
    this.lastCount = batch.length;
    this.wasCut = this.waiting.size > 0;
    this.running++;
    if (patience) this.young = batch;
    const cancel = patience?.clock.after(patience.ms, () => {
      this.age(batch);
      this.schedule();
    });
    this.runBatch(batch).finally(() => {
      cancel?.();
      this.ended(batch);
    });
    if (this.waiting.size > 0) this.schedule();
  }

  private ended(batch: Waiting<In, Out>[]): void {
    this.age(batch);
    this.running--;
    if (this.options.gathering?.isOn()) this.gather(this.options.gathering);
    if (this.waiting.size > 0) this.schedule();
    else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  private holdsBack(): boolean {
    const { inTurn = false, gathering } = this.options;
    if (this.cancelGathering && this.lacksCompany()) return true;
    if (this.running === 0) return false;
    const isTooSmall = this.waiting.size < AHEAD_SHARE * this.lastCount && !this.isWhole();
    return this.young !== null || (inTurn && (isTooSmall || this.wasCut || gathering?.isOn() === true));
  }

  private lacksCompany(): boolean {
    return this.waiting.size < GATHERED_SHARE * this.lastCount && !this.isWhole();
  }

  /** Whether as much waits as a batch may hold. */
  private isWhole(): boolean {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY } = this.options;
    return this.waiting.size >= maxItems || this.waiting.weight >= maxWeight;
  }

  private gather({ ms, clock }: Gathering): void {
    this.stopGathering();
    this.cancelGathering = clock.after(ms, () => {
      this.cancelGathering = null;
      this.schedule();
    });
  }

  private stopGathering(): void {
    this.cancelGathering?.();
    this.cancelGathering = null;
  }

  private age(batch: Waiting<In, Out>[]): void {
    if (this.young === batch) this.young = null;
  }

  private async runBatch(batch: Waiting<In, Out>[]): Promise<void> {
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

  private async runAlone(batch: Waiting<In, Out>[]): Promise<void> {
    for (const each of batch) await this.runBatch([each]);
  }
}
