import type { Database } from "../db/database";
import type { AccountId } from "../domain/ids";
import type { UsageKey } from "./usage-shard";
import { ensureUsageRows } from "./usage-shard";

/** Most rows in each set. When full, the set is emptied: writing a row twice does no harm. */
const MAX_ROWS = 100_000;

/** An event type that this process has not seen the account use. It may be in Postgres already. */
export type UsedEventType = { accountId: AccountId; name: string };

type EventUse = { accountId: AccountId; event: string | null };

/** Remembers rows that are in Postgres already, so that the intake need not write them again. */
export class WrittenRowsCache {
  private readonly eventTypes = new Set<string>();
  private readonly usageRows = new Set<string>();

  /** Makes sure that the accounts have usage rows of this month to lock. */
  async ensureUsage(
    items: readonly { accountId: AccountId }[],
    usageKey: UsageKey,
    db: Database,
  ): Promise<void> {
    const { period } = usageKey;
    const missing = new Set<AccountId>();
    for (const { accountId } of items) {
      if (!this.usageRows.has(`${accountId}/${period}`)) missing.add(accountId);
    }
    if (missing.size === 0) return;
    await db.run((sql) => ensureUsageRows(sql, [...missing], usageKey));
    if (this.usageRows.size > MAX_ROWS) this.usageRows.clear();
    for (const accountId of missing) this.usageRows.add(`${accountId}/${period}`);
  }

  /** Forgets all rows. Called after a lost connection: a promoted standby may lack the last commits. */
  forgetAll(): void {
    this.eventTypes.clear();
    this.usageRows.clear();
  }

  /** Returns the event types of the items that may be new. */
  newEventTypes(items: readonly EventUse[]): UsedEventType[] {
    const found = new Map<string, UsedEventType>();
    for (const { accountId, event } of items) {
      if (event === null) continue;
      const name = `${accountId}/${event}`;
      if (!this.eventTypes.has(name)) found.set(name, { accountId, name: event });
    }
    return [...found.values()];
  }

  /** Remembers the event types of accepted items as written. */
  remember(accepted: readonly EventUse[]): void {
    if (this.eventTypes.size > MAX_ROWS) this.eventTypes.clear();
    for (const { accountId, event } of accepted) {
      if (event !== null) this.eventTypes.add(`${accountId}/${event}`);
    }
  }
}
