import type { AnySql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId } from "../domain/ids";
import type { Meter } from "./acceptance";

/**
 * Names the row of an account's month that the commits of one intake add to, so that the commits of several processes never
 * wait for each other. All intakes share row 0: only there can a limit be held exactly.
 */
export type UsageShard = number & { readonly [chosen]: true };
declare const chosen: unique symbol;

/** Two intakes that choose the same one wait for each other, no more. */
const SHARDS = { first: 16, count: 8 };

/** Shards for the intakes of one process, different ones; `random` in [0, 1). */
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

/** Makes the rows that count the month's webhooks, so that whatever accepts always finds one to lock. */
export async function ensureUsageRows(
  sql: AnySql,
  accounts: readonly AccountId[],
  { period, shard }: Meter,
): Promise<void> {
  await sql`
    insert into usage (account_id, period, shard)
    select a, ${period}::date, s from unnest(${arrayOf(accounts)}::uuid[]) a, unnest(array[0, ${shard}::smallint]) s
    order by a, s
    on conflict do nothing
  `;
}
