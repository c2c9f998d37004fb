import { LOCKS } from "../db/advisory-locks";
import { arrayOf } from "../db/arrays";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, TransactionSql } from "../db/pool";
import { unixMs } from "../db/unix-ms";
import { type AccountId, type KeyId, newId } from "../runtime/ids";
import { DEFAULT_ACCOUNT } from "./account";
import { hashKey, newKey } from "./api-key";
import { PERMISSIONS, type Permission } from "./permissions";

/** What is known of a key; not the key, which is shown once. Times are Unix milliseconds. */
export type ApiKey = {
  id: KeyId;
  accountId: AccountId;
  name: string | null;
  permissions: Permission[];
  isActive: boolean;
  /** Null: never. */
  expiresAt: number | null;
  createdAt: number;
  /** To the minute; null: not yet. */
  lastUsedAt: number | null;
};

export type NewApiKey = { name: string | null; permissions: readonly Permission[]; expiresAt: number | null };

/** The key that the environment gives: one row, whatever the variable has been before. */
const ADMIN_KEY_ID = "00000000-0000-7000-8000-000000000002" as KeyId;
const ADMIN_KEY_NAME = "HERMOD_ADMIN_KEY";

/** The stored keys. Changes reach the authenticators within 5 s. Every method throws `DatabaseUnavailable`. */
export class ApiKeys {
  constructor(private readonly db: Database) {}

  /** `key` is the text to hand out; it can't be had again. */
  async create(
    sql: TransactionSql,
    accountId: AccountId,
    { name, permissions, expiresAt }: NewApiKey,
  ): Promise<{ key: string; record: ApiKey }> {
    const key = newKey();
    const [record] = await sql<ApiKey[]>`
      insert into api_keys (id, account_id, name, hash, permissions, expires_at)
      values (${newId("key")}, ${accountId}, ${name}, ${hashKey(key)}, ${arrayOf(permissions)}::text[],
        to_timestamp(${expiresAt}::float8 / 1000))
      returning ${columns(sql)}
    `;
    if (!record) throw new Error("the key was not written");
    return { key, record };
  }

  /** Some of an account's, newest first. */
  page(accountId: AccountId, { limit, beyond }: PageRequest<KeyId>): Promise<ApiKey[]> {
    return this.db.run(
      (sql) => sql<ApiKey[]>`
        select ${columns(sql)} from api_keys
        where account_id = ${accountId} and ${beyond === undefined ? sql`true` : sql`id < ${beyond}`}
        order by id desc
        limit ${limit}
      `,
    );
  }

  /** Null when the account has no such key. */
  async get(accountId: AccountId, id: KeyId): Promise<ApiKey | null> {
    const [record] = await this.db.run(
      (sql) => sql<ApiKey[]>`
        select ${columns(sql)} from api_keys where id = ${id} and account_id = ${accountId}
      `,
    );
    return record ?? null;
  }

  /** Null when the account has no such key. */
  async setActive(accountId: AccountId, id: KeyId, active: boolean): Promise<ApiKey | null> {
    const [record] = await this.db.run(
      (sql) => sql<ApiKey[]>`
        update api_keys set is_active = ${active} where id = ${id} and account_id = ${accountId}
        returning ${columns(sql)}
      `,
    );
    return record ?? null;
  }

  /** False when there is no such key; an admin, who may revoke any account's, gives null for the account. */
  async revoke(accountId: AccountId | null, id: KeyId): Promise<boolean> {
    const gone = await this.db.run(
      (sql) => sql`
        delete from api_keys
        where id = ${id} and ${accountId === null ? sql`true` : sql`account_id = ${accountId}`}
      `,
    );
    return gone.count > 0;
  }

  /** Makes `key` the admin key of the default account; true when it takes the place of another one. */
  ensureAdminKey(key: string): Promise<boolean> {
    const hash = hashKey(key);
    return this.db.transaction(async (sql) => {
      // Processes that start together bring the same key, and one insert can give way to another by one unique index only.
      await sql`select pg_advisory_xact_lock(${LOCKS.adminKey})`;
      const [other] =
        await sql`select from api_keys where id = ${ADMIN_KEY_ID} and hash <> ${hash} for update`;
      await sql`delete from api_keys where hash = ${hash} and id <> ${ADMIN_KEY_ID}`;
      await sql`
        insert into api_keys (id, account_id, name, hash, permissions)
        values (${ADMIN_KEY_ID}, ${DEFAULT_ACCOUNT}, ${ADMIN_KEY_NAME}, ${hash}, ${arrayOf(PERMISSIONS)}::text[])
        on conflict (id) do update
          set hash = excluded.hash, permissions = excluded.permissions, is_active = true, expires_at = null
      `;
      return other !== undefined;
    });
  }
}

function columns(sql: AnySql) {
  return sql`
    id, account_id as "accountId", name, permissions, is_active as "isActive",
    ${unixMs(sql, "expires_at")} as "expiresAt",
    ${unixMs(sql, "created_at")} as "createdAt",
    ${unixMs(sql, "last_used_at")} as "lastUsedAt"
  `;
}
