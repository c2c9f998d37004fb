import type { Database } from "../db/database";
import type { AccountId } from "../runtime/ids";
import type { Meter, Metering } from "./acceptance";
import type { NewEventType } from "./new-event-types";
import { ensureUsageRows } from "./usage-rows";

/** Things remembered as written already; beyond it they are all written anew, which changes nothing. */
const MAX_KNOWN = 100_000;

type Typed = { accountId: AccountId; event: string | null };

/** What this process knows to be in Postgres already, so that the intake need not write it again. */
export class Known {
  private readonly eventTypes = new Set<string>();
  private readonly usageRows = new Set<string>();
  private readonly limited = new Set<AccountId>();

  constructor(private readonly db: Database) {
    db.onLost(() => this.forgetAll());
  }

  /** Sees to it that the accounts' rows that count this month are there to be locked. */
  async ensureUsage(items: readonly { accountId: AccountId }[], meter: Meter): Promise<void> {
    const { period } = meter;
    const missing = new Set<AccountId>();
    for (const { accountId } of items) {
      if (!this.usageRows.has(`${accountId}/${period}`)) missing.add(accountId);
    }
    if (missing.size === 0) return;
    await this.db.run((sql) => ensureUsageRows(sql, [...missing], meter));
    if (this.usageRows.size > MAX_KNOWN) this.usageRows.clear();
    for (const accountId of missing) this.usageRows.add(`${accountId}/${period}`);
  }

  /** After a loss of the connection, whoever noticed it: the server may be another one now, that lacks the last commits. */
  forgetAll(): void {
    this.eventTypes.clear();
    this.usageRows.clear();
  }

  /** What these need as far as is known: `counted` may turn out to be wrong. */
  meteringOf(items: readonly { accountId: AccountId }[]): Metering {
    return items.some(({ accountId }) => this.limited.has(accountId)) ? "held" : "counted";
  }

  /** Whether an account has a monthly limit. */
  setLimited(accountId: AccountId, isLimited: boolean): void {
    if (!isLimited) this.limited.delete(accountId);
    else if (this.limited.size < MAX_KNOWN) this.limited.add(accountId);
  }

  /** The event types among these that may be new. */
  newEventTypes(items: readonly Typed[]): NewEventType[] {
    const found = new Map<string, NewEventType>();
    for (const { accountId, event } of items) {
      if (event === null) continue;
      const name = `${accountId}/${event}`;
      if (!this.eventTypes.has(name)) found.set(name, { accountId, name: event });
    }
    return [...found.values()];
  }

  /** These were accepted, and their event types with them. */
  remember(accepted: readonly Typed[]): void {
    if (this.eventTypes.size > MAX_KNOWN) this.eventTypes.clear();
    for (const { accountId, event } of accepted) {
      if (event !== null) this.eventTypes.add(`${accountId}/${event}`);
    }
  }
}
