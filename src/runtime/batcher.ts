/** Thrown by `submit` when the queue is at its bound; nothing was taken. */
export class QueueFull extends Error {
  constructor(readonly bound: number) {
    super(`the queue holds ${bound} items already`);
    this.name = "QueueFull";
  }
}

export type BatcherOptions<In, Out> = {
  /** Does the work of a batch; answers in the order of the items. A rejection rejects the whole batch. */
  run(items: In[]): Promise<Out[]>;
  /** Most items in one batch. */
  maxItems: number;
  /** Most batches under way at once. */
  maxRunning: number;
  /** Most items that wait for a batch. */
  maxQueued: number;
};

type Waiting<In, Out> = { item: In; resolve(out: Out): void; reject(reason: unknown): void };

/**
 * Group commit: what is submitted while batches are under way goes together in the next one, so a batch
 * grows with the load and a lone item never waits for company.
 */
export class Batcher<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = 0;
  private scheduled = false;
  private idle: (() => void)[] = [];

  constructor(private readonly options: BatcherOptions<In, Out>) {}

  /** Items waiting for a batch. */
  get queued(): number {
    return this.waiting.length;
  }

  /** Resolves with the item's own result. Throws `QueueFull` at the bound. */
  submit(item: In): Promise<Out> {
    if (this.waiting.length >= this.options.maxQueued) throw new QueueFull(this.options.maxQueued);
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  /** Resolves once nothing waits and nothing is under way. */
  drained(): Promise<void> {
    if (this.running === 0 && this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
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
    if (this.waiting.length === 0 || this.running >= this.options.maxRunning) return;
    const batch = this.waiting.splice(0, this.options.maxItems);
    this.running++;
    this.runBatch(batch).finally(() => {
      this.running--;
      if (this.waiting.length > 0) this.schedule();
      else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    });
    if (this.waiting.length > 0) this.schedule();
  }

  private async runBatch(batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map((each) => each.item));
      batch.forEach((each, i) => {
        each.resolve(results[i] as Out);
      });
    } catch (reason) {
      for (const each of batch) each.reject(reason);
    }
  }
}
