import type { TransactionSql } from "../../src/db/pool";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import type { TestDatabase } from "../support/postgres";

export const DAY = 86_400_000;
const log = createLog("silent");

/** Makes time ranges for the days before now, as a service that has run for some days has. */
export async function makePastRanges({ db }: Pick<TestDatabase, "db">, days: number): Promise<void> {
  for (let day = days; day >= 0; day -= days) {
    const clock = { ...systemClock, now: () => Date.now() - day * DAY };
    await new Retention({ db, clock, log, retentionMs: 30 * DAY }).extend();
  }
}

const COLUMNS = [
  ["deliveries", "replay_of"],
  ["deliveries", "id"],
  ["queue", "delivery_id"],
  ["results", "delivery_id"],
  ["attempts", "delivery_id"],
  ["erasures", "delivery_id"],
  ["events", "id"],
] as const;

/** Makes everything of the last half day older, with its ids. */
export async function age({ db }: Pick<TestDatabase, "db">, days: number): Promise<void> {
  const time = (id: string) => `('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint`;
  const older = (id: string) =>
    `(lpad(to_hex(${time(id)} - ${days * DAY}), 12, '0') || substr(replace(${id}::text, '-', ''), 13))::uuid`;
  await db.transaction(async (sql: TransactionSql) => {
    for (const [table, column] of COLUMNS)
      await sql.unsafe(
        `update ${table} set ${column} = ${older(column)} where ${time(column)} > ${Date.now() - DAY / 2}`,
      );
  });
}
