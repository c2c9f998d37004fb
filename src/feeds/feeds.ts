import { LOCKS } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { FanOutIntake } from "../intake/fan-out";
import { monthOf } from "../intake/known";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { payloadOf } from "./feed-event";
import { dropFromOutbox, isOutboxEmpty, type OutboxRow, readOutbox, tellUsage } from "./outbox";

/** How often the outbox is looked at, and the months' use, milliseconds. */
const EVERY_MS = 500;
const USAGE_EVERY_MS = 5_000;
/** Rows of the outbox in one step, and how long it may take, milliseconds. */
const MAX_ROWS = 100;
const TIMEOUT_MS = 60_000;
/** Outbox rows carry their claim themselves. */
const NO_FINGERPRINT = new Uint8Array();

export type FeedOptions = {
  db: Database;
  /** Accepts for feeds. */
  intake: FanOutIntake;
  clock: Clock;
  log: Log;
};

/**
 * Sends what the outbox holds through the intake, in one process at a time. A row goes in the transaction that accepts
 * its deliveries: so it is sent once, whoever dies when. The lock only keeps processes from doing each other's work.
 */
export class Feeds {
  private readonly loop: Loop;
  private usageDueAt = 0;

  constructor(private readonly options: FeedOptions) {
    this.loop = new Loop({
      clock: options.clock,
      round: async () => ((await this.step()) ? 0 : EVERY_MS),
      failed: (error) => {
        options.log.warn(describeError(error), "feeds wait");
        return EVERY_MS;
      },
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves once what is being sent has been accepted. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Sends what waits, or the first of it: then true. Throws `DatabaseUnavailable`, or what the intake throws. */
  async step(): Promise<boolean> {
    await this.noteUsage();
    if (await this.options.db.run(isOutboxEmpty)) return false;
    return this.options.db.transaction(async (sql) => {
      const [row] = await sql<{ isMine: boolean }[]>`
        select pg_try_advisory_xact_lock(${LOCKS.feeds}) as "isMine"
      `;
      if (!row?.isMine) return false;
      const rows = await readOutbox(sql, MAX_ROWS);
      await Promise.all(rows.map((each) => this.send(each)));
      return rows.length === MAX_ROWS;
    }, TIMEOUT_MS);
  }

  private async noteUsage(): Promise<void> {
    const { clock, db } = this.options;
    if (clock.monotonic() < this.usageDueAt) return;
    await db.run((sql) => tellUsage(sql, monthOf(clock.now())));
    this.usageDueAt = clock.monotonic() + USAGE_EVERY_MS;
  }

  private async send(row: OutboxRow): Promise<void> {
    const { id, accountId, event, occurredAt } = row;
    const { kind } = await this.options.intake.accept({
      accountId,
      event,
      data: JSON.stringify(payloadOf(row, occurredAt)),
      idempotency: { key: String(id), fingerprint: NO_FINGERPRINT },
    });
    if (kind === "accepted") return;
    this.options.log.error({ accountId, event, kind }, "an account's feed could not be told");
    await this.options.db.run((sql) => dropFromOutbox(sql, id));
  }
}
