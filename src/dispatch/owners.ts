import type { Database } from "../db/database";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { Control } from "../stream/control";

/** The rows are read this often, milliseconds, and whenever somebody says that it took partitions. */
const LOOK_EVERY_MS = 1_000;

export type OwnersOptions = Readonly<{ database: Database; control: Control; clock: Clock; log: Log }>;

/**
 * Which dispatcher has which partition, as far as is known here: good for telling it of deliveries, and for nothing that
 * must be right. Whoever takes a partition over looks for what its former owner was told.
 */
export class Owners {
  private owners = new Map<number, string>();
  private readonly stopping = new AbortController();
  private wakeUp = new AbortController();
  private running: Promise<void> | null = null;

  constructor(private readonly options: OwnersOptions) {}

  /** The id of the dispatcher that has a partition; null when nobody is known to. */
  of(partition: number): string | null {
    return this.owners.get(partition) ?? null;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    this.options.control.onClaim(() => this.wakeUp.abort());
    await this.look();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(this.options.clock, LOOK_EVERY_MS, this.wakeUp.signal);
      if (this.stopping.signal.aborted) return;
      // Before the look: what is said during it asks for another one.
      this.wakeUp = new AbortController();
      await this.look();
    }
  }

  private async look(): Promise<void> {
    const { database, log } = this.options;
    try {
      const rows = await database.run(
        (sql) => sql<{ partition: number; owner: string }[]>`
          select partition, owner from partition_leases where owner is not null`,
        LOOK_EVERY_MS,
      );
      this.owners = new Map(rows.map(({ partition, owner }) => [partition, owner]));
    } catch (error) {
      log.debug(describeError(error), "who owns the partitions could not be read");
    }
  }
}
