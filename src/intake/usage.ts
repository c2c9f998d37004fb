import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { periodOf } from "../db/sql/time";
import type { AccountId } from "../domain/ids";

/**
 * Number of the usage row, among those of an account's month, that one intake adds to. With rows of their own, commits of
 * several processes do not wait for each other. Accounts with a limit are counted in shard 0 by all intakes: only one row can
 * hold a limit exactly.
 */
export type UsageShard = number & { readonly [chosen]: true };
declare const chosen: unique symbol;

/** Range to choose from. Two intakes with the same shard wait for each other's commits; nothing else goes wrong. */
const SHARDS = { first: 16, count: 8 };

/** Chooses a different shard for each intake of one process. `random` is in [0, 1). */
export function chooseShards(random: number): {
  sends: UsageShard;
  fanOuts: UsageShard;
  replays: UsageShard;
  feeds: UsageShard;
} {
  const first = Math.floor(random * SHARDS.count);
  return {
    sends: shardAt(first),
    fanOuts: shardAt(first + 1),
    replays: shardAt(first + 2),
    feeds: shardAt(first + 3),
  };
}

function shardAt(n: number): UsageShard {
  return (SHARDS.first + (n % SHARDS.count)) as UsageShard;
}

/** Inserts missing usage rows of the month, so that the accepting statement finds rows to lock. */
export async function ensureUsageRows(
  sql: AnySql,
  accounts: readonly AccountId[],
  { period, shard }: UsageKey,
): Promise<void> {
  await sql`
    insert into usage (account_id, period, shard)
    select a, ${period}::date, s from unnest(${arrayOf(accounts)}::uuid[]) a, unnest(array[0, ${shard}::smallint]) s
    order by a, s
    on conflict do nothing
  `;
}

/** The month and shard in which a commit counts its deliveries. */
export type UsageKey = Readonly<{ period: string; shard: UsageShard }>;

/** Returns the month and shard at a moment, in Unix milliseconds. */
export function usageKeyAt(now: number, shard: UsageShard): UsageKey {
  return { period: periodOf(now), shard };
}

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
