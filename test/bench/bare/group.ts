const MAX_ITEMS = 500;
const MAX_RUNNING = 2;

type Waiting<T> = { item: T; resolve(): void; reject(reason: unknown): void };

/** Groups what is submitted while two groups are under way into the next one. */
export class Group<T> {
  private waiting: Waiting<T>[] = [];
  private running = 0;
  private isScheduled = false;

  constructor(private readonly run: (items: T[]) => Promise<void>) {}

  submit(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.running >= MAX_RUNNING) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.start();
    });
  }

  private start(): void {
    const group = this.waiting.splice(0, MAX_ITEMS);
    if (group.length === 0) return;
    this.running++;
    this.run(group.map((each) => each.item))
      .then(
        () => {
          for (const each of group) each.resolve();
        },
        (reason) => {
          for (const each of group) each.reject(reason);
        },
      )
      .finally(() => {
        this.running--;
        if (this.waiting.length > 0) this.schedule();
      });
    if (this.waiting.length > 0) this.schedule();
  }
}
