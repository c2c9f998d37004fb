import { LOCKS } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { unixMs } from "../db/sql/time";
import { type AccountId, type KeyId, newId } from "../domain/ids";
import { DEFAULT_ACCOUNT } from "./account";
import { hashKey, newKey } from "./authentication/api-key";
import { PERMISSIONS, type Permission } from "./authentication/permissions";
import { ensureRoom } from "./limit";

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
  /** The key that it ends with; null: HERMOD_ADMIN_KEY or an administrator made it, and it stands by itself. */
  createdBy: KeyId | null;
};

export type NewApiKey = { name: string | null; permissions: readonly Permission[]; expiresAt: number | null };

/** More than one would look through, and few enough to disable or revoke in a moment, however they descend from each other. */
export const KEYS = { most: 1_000, what: "API keys" };

/** The requesting key was revoked, disabled or has expired since this process last read it. */
export class KeyNoLongerWorks extends Error {
  constructor() {
    super("The requesting key no longer works");
    this.name = "KeyNoLongerWorks";
  }
}

/** The key that the environment gives: one row, whatever the variable has been before. */
const ADMIN_KEY_ID = "00000000-0000-7000-8000-000000000002" as KeyId;
const ADMIN_KEY_NAME = "HERMOD_ADMIN_KEY";

/**
 * Stores the keys. No key outlives its maker: it ends no later, is disabled with it and revoked with it. Only keys that an
 * administrator made for another account stand by themselves, unless they have the permission `admin`. Authenticators
 * trust what they read for up to 5 s, so each change checks in its own transaction that `by`, the requesting key, still
 * works (`KeyNoLongerWorks`); null is a caller without a key. Every method throws `DatabaseUnavailable`.
 */
export class ApiKeys {
  constructor(private readonly db: Database) {}

  /** Returns the text of the new key, which is not stored. Throws `LimitReached`. */
  async create(
    sql: TransactionSql,
    accountId: AccountId,
    { name, permissions, expiresAt }: NewApiKey,
    by: KeyId | null,
  ): Promise<{ key: string; record: ApiKey }> {
    await lockLineage(sql, "shared");
    const home = await accountOfWorking(sql, by);
    const maker = home === accountId || permissions.includes("admin") ? by : null;
    await ensureRoom(sql, accountId, KEYS, sql`select from api_keys where account_id = ${accountId}`);
    const key = newKey();
    const [record] = await sql<ApiKey[]>`
      insert into api_keys (id, account_id, name, hash, permissions, created_by, expires_at)
      values (${newId("key")}, ${accountId}, ${name}, ${hashKey(key)}, ${arrayOf(permissions)}::text[],
        ${maker === ADMIN_KEY_ID ? null : maker},
        least(to_timestamp(${expiresAt}::float8 / 1000), (select expires_at from api_keys where id = ${maker}::uuid)))
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

  /** Null for a key without a name, or none. */
  async nameOf(id: KeyId): Promise<string | null> {
    const [row] = await this.db.run(
      (sql) => sql<{ name: string | null }[]>`select name from api_keys where id = ${id}`,
    );
    return row?.name ?? null;
  }

  /** Enables this key alone: its descendants stay as they are. Null when the account has no such key. */
  enable(accountId: AccountId, id: KeyId, by: KeyId | null): Promise<ApiKey | null> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "shared");
      await accountOfWorking(sql, by);
      const [record] = await sql<ApiKey[]>`
        update api_keys set is_active = true where id = ${id} and account_id = ${accountId}
        returning ${columns(sql)}
      `;
      return record ?? null;
    });
  }

  /** Disables the key and its descendants. Null when the account has no such key. */
  disable(accountId: AccountId, id: KeyId, by: KeyId | null): Promise<ApiKey | null> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "exclusive");
      await accountOfWorking(sql, by);
      const disabled = await sql<ApiKey[]>`
        with recursive line (key_id) as (
          select id from api_keys where id = ${id} and account_id = ${accountId}
          union
          select k.id from api_keys k join line on k.created_by = line.key_id
        )
        update api_keys set is_active = false where id in (select key_id from line)
        returning ${columns(sql)}
      `;
      return disabled.find((record) => record.id === id) ?? null;
    });
  }

  /** Deletes the key, and by the foreign key its descendants. False when there is none; a null account is any account. */
  revoke(accountId: AccountId | null, id: KeyId, by: KeyId | null): Promise<boolean> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "exclusive");
      await accountOfWorking(sql, by);
      const deleted = await sql`
        delete from api_keys
        where id = ${id} and ${accountId === null ? sql`true` : sql`account_id = ${accountId}`}
      `;
      return deleted.count > 0;
    });
  }

  /** Makes `key` the admin key of the default account; true when it replaces another one. */
  ensureAdminKey(key: string): Promise<boolean> {
    const hash = hashKey(key);
    return this.db.transaction(async (sql) => {
      // Processes that start together bring the same key, and `on conflict` covers one unique index only.
      await sql`select pg_advisory_xact_lock(${LOCKS.adminKey})`;
      const [other] =
        await sql`select from api_keys where id = ${ADMIN_KEY_ID} and hash <> ${hash} for update`;
      if (other) await sql`delete from sessions where key_id = ${ADMIN_KEY_ID}`;
      // A key that becomes the admin key leaves its descendants to it; the admin key's have no maker.
      await sql`
        update api_keys set created_by = null
        where created_by in (select id from api_keys where hash = ${hash} and id <> ${ADMIN_KEY_ID})
      `;
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
    ${unixMs(sql, "last_used_at")} as "lastUsedAt",
    created_by as "createdBy"
  `;
}

/** Keeps keys from being made or enabled while a key is disabled or revoked together with its descendants. */
async function lockLineage(sql: TransactionSql, mode: "shared" | "exclusive"): Promise<void> {
  await (mode === "shared"
    ? sql`select pg_advisory_xact_lock_shared(${LOCKS.keyLineage})`
    : sql`select pg_advisory_xact_lock(${LOCKS.keyLineage})`);
}

/** Returns the account of the requesting key; null without one. Throws `KeyNoLongerWorks`. */
async function accountOfWorking(sql: TransactionSql, id: KeyId | null): Promise<AccountId | null> {
  if (id === null) return null;
  const [row] = await sql<Pick<ApiKey, "accountId">[]>`
    select account_id as "accountId" from api_keys
    where id = ${id} and is_active and (expires_at is null or expires_at > now())
  `;
  if (!row) throw new KeyNoLongerWorks();
  return row.accountId;
}
