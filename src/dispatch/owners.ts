import type { Database } from "../db/database";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { Control } from "../stream/control";

/** The rows are read this often, milliseconds, and whenever somebody says that it took partitions. */
const LOOK_EVERY_MS = 1_000;

export type OwnersOptions = Readonly<{ db: Database; control: Control; clock: Clock; log: Log }>;

/**
 * Which dispatcher has which partition, as far as is known here: good for telling it of deliveries, and for nothing that
 * must be right. Whoever takes a partition over looks for what its former owner was told.
 */
export class Owners {
  private owners = new Map<number, string>();
  private readonly loop: Loop;

  constructor(private readonly options: OwnersOptions) {
    const { clock, log } = options;
    this.loop = new Loop({
      clock,
      round: () => this.look(),
      failed: (error) => {
        log.debug(describeError(error), "who owns the partitions could not be read");
        return LOOK_EVERY_MS;
      },
    });
  }

  /** The id of the dispatcher that has a partition; null when nobody is known to. */
  of(partition: number): string | null {
    return this.owners.get(partition) ?? null;
  }

  /** Resolves after the first look. */
  start(): Promise<void> {
    this.options.control.onClaim(() => this.loop.wake());
    return this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async look(): Promise<number> {
    const rows = await this.options.db.run(
      (sql) => sql<{ partition: number; owner: string }[]>`
        select partition, owner from partition_leases where owner is not null`,
      LOOK_EVERY_MS,
    );
    this.owners = new Map(rows.map(({ partition, owner }) => [partition, owner]));
    return LOOK_EVERY_MS;
  }
}
