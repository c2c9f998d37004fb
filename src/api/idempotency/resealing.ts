import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import {
  RESEAL_ROWS,
  type ResealCount,
  type Resealed,
  type Resealer,
  resealAll,
} from "../../vault/resealing";
import { type Claim, contextOf } from "./idempotency";

/** A key and its sealed answer. Nearly all keys belong to sends, which store no answer. */
type KeptAnswer = Pick<Claim, "accountId" | "key"> & { response: string | null };

/** Seals the stored answers with the vault's first key. Throws `DatabaseUnavailable`. */
export function resealAnswers(db: Pick<Database, "run">, vault: Resealer): Promise<ResealCount> {
  return resealAll<KeptAnswer>({
    read: (last) => db.run((sql) => selectAnswers(sql, last)),
    isCurrent: ({ response }) => response === null || vault.isCurrent(response),
    reseal: (row) => ({ ...row, response: row.response && vault.reseal(row.response, contextOf(row)) }),
    replace: async (pairs) => (await db.run((sql) => replaceAnswers(sql, pairs))).count,
  });
}

// Reads all keys in pages, because a search for the few with an answer could scan a whole day's rows.
function selectAnswers(sql: Sql, last: KeptAnswer | null): Promise<KeptAnswer[]> {
  return sql<KeptAnswer[]>`
    select account_id as "accountId", key, response from idempotency_keys
    where ${last === null ? sql`true` : sql`(account_id, key) > (${last.accountId}::uuid, ${last.key}::text)`}
    order by account_id, key limit ${RESEAL_ROWS}
  `;
}

// Compare and set, since another request may have claimed the expired key.
function replaceAnswers(sql: Sql, pairs: readonly Resealed<KeptAnswer>[]) {
  return sql`
    update idempotency_keys k set response = i.fresh
    from unnest(
      ${arrayOf(pairs.map(({ row }) => row.accountId))}::uuid[],
      ${arrayOf(pairs.map(({ row }) => row.key))}::text[],
      ${arrayOf(pairs.map(({ row }) => row.response))}::text[],
      ${arrayOf(pairs.map(({ fresh }) => fresh.response))}::text[]
    ) as i(account_id, key, response, fresh)
    where k.account_id = i.account_id and k.key = i.key and k.response = i.response
  `;
}
