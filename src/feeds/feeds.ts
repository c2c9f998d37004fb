import { LOCKS, tryLock } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { eventIdFrom } from "../db/sql/event-key";
import { periodOf } from "../db/sql/time";
import { type AccountId, newId, toText } from "../domain/ids";
import type { FanOutIntake } from "../intake/events/fan-out";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { Outage } from "../runtime/outage";
import { hopsTo, payloadOf } from "./feed-event";
import {
  dropFromOutbox,
  isOutboxEmpty,
  type OutboxRow,
  type OutboxShare,
  readOutbox,
  reportUsage,
} from "./outbox";

/** Interval between polls of the outbox, and between looks at all accounts' monthly usage. */
const EVERY_MS = 500;
const USAGE_EVERY_MS = 5_000;
/** Accounts whose usage is looked at in one poll of the outbox. The next poll continues behind them. */
export const USAGE_ACCOUNTS = 500;
/** Reports sent together. Few, so that Postgres never ends the waiting transaction as idle. */
const SHARE: OutboxShare = { accounts: 10, rowsOfEach: 5 };
/** Duration of a step, and its deadline. */
const STEP_MS = 1_000;
const TIMEOUT_MS = 60_000;
/** No fingerprint is needed: deleting the outbox row makes the send unique. */
const NO_FINGERPRINT = new Uint8Array();

export type FeedOptions = {
  db: Database;
  /** Accepts deliveries for feeds. */
  intake: FanOutIntake;
  /** The address at which browsers reach Hermod; null: reports have no links. */
  publicUrl: string | null;
  clock: Clock;
  log: Log;
};

/**
 * Sends the outbox's reports through the intake, accounts in turns. The transaction that accepts a report's deliveries deletes
 * its row, so a report is sent once, whichever process crashes when. One process at a time works, under a lock, which only
 * saves the others the same work.
 */
export class Feeds {
  private readonly loop: Loop;
  private readonly outage: Outage;
  private usageDueAt = 0;
  /** The last account whose usage was looked at; null before the first one. */
  private usageSeen: AccountId | null = null;
  /** The last account that had its turn; null before the first one. */
  private served: AccountId | null = null;

  constructor(private readonly options: FeedOptions) {
    this.outage = new Outage(options.log, {
      begun: "could not send feed reports; they wait in the outbox",
      over: "feed reports are sent again",
    });
    this.loop = new Loop({
      clock: options.clock,
      round: () => this.round(),
      failed: (error) => this.failed(error),
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves once the current reports have been accepted. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async round(): Promise<number> {
    const restMs = (await this.step()) ? 0 : EVERY_MS;
    this.outage.worked();
    return restMs;
  }

  private failed(error: unknown): number {
    this.outage.failed(error);
    return EVERY_MS;
  }

  /** Sends the waiting reports. Resolves to true if some are left. Throws `DatabaseUnavailable`, or the intake's errors. */
  async step(): Promise<boolean> {
    await this.noteUsage();
    if (await this.options.db.run(isOutboxEmpty)) return false;
    return this.options.db.transaction(async (sql) => {
      if (!(await tryLock(sql, LOCKS.feeds))) return false;
      const stopAt = this.options.clock.monotonic() + STEP_MS;
      while (await this.sendNext(sql)) if (this.options.clock.monotonic() >= stopAt) return true;
      return false;
    }, TIMEOUT_MS);
  }

  /** Sends the reports of the next accounts. Resolves to false if no report was left. */
  private async sendNext(sql: TransactionSql): Promise<boolean> {
    const { served } = this;
    const rows = await readOutbox(sql, served, SHARE);
    // Moves on even if sending fails, so that other accounts have their turn before the retry.
    this.served = rows.at(-1)?.accountId ?? null;
    await Promise.all(rows.map((each) => this.send(each)));
    return rows.length > 0 || served !== null;
  }

  private async noteUsage(): Promise<void> {
    const { clock, db } = this.options;
    if (clock.monotonic() < this.usageDueAt) return;
    const slice = { after: this.usageSeen, most: USAGE_ACCOUNTS };
    this.usageSeen = await db.run((sql) => reportUsage(sql, periodOf(clock.now()), slice));
    if (this.usageSeen === null) this.usageDueAt = clock.monotonic() + USAGE_EVERY_MS;
  }

  private async send(row: OutboxRow): Promise<void> {
    const { id, accountId, event, occurredAt } = row;
    const { kind } = await this.options.intake.accept({
      id: eventIdFrom(newId("wh", hopsTo(row))),
      accountId,
      about: row.about.id,
      event,
      orderingKey: null,
      data: JSON.stringify(payloadOf(row, occurredAt, row, this.options.publicUrl)),
      idempotency: { key: String(id), fingerprint: NO_FINGERPRINT },
    });
    if (kind === "accepted") return;
    const account_id = toText("acc", accountId);
    this.options.log.error(
      { account_id, event, kind },
      "could not send a report to an account's feed; the report is dropped",
    );
    await this.options.db.run((sql) => dropFromOutbox(sql, id));
  }
}
