import { and, desc, eq, sql as expression, getTableColumns, isNull, lt, type SQL } from "drizzle-orm";
import { LOCKS } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { TransactionSql } from "../db/pool";
import { apiKeys } from "../db/schema";
import { arrayOf } from "../db/sql/arrays";
import { typed } from "../db/typed";
import { type AccountId, type KeyId, newId } from "../domain/ids";
import { PERMISSIONS, type Permission, reachesBeyondAccount } from "../domain/permission";
import { DEFAULT_ACCOUNT } from "./account";
import { hashKey, newKey } from "./authentication/api-key";
import { ensureBelowLimit } from "./limit";

/** A key without its text, which is shown once. Times are Unix milliseconds. */
export type ApiKey = {
  id: KeyId;
  accountId: AccountId;
  name: string | null;
  permissions: Permission[];
  isActive: boolean;
  /** Null if it never expires. */
  expiresAt: number | null;
  createdAt: number;
  /** The time of the last use, exact to a minute; null before the first use. */
  lastUsedAt: number | null;
  /** The key with which it ends; null if HERMOD_ADMIN_KEY or an administrator made it, so that it depends on no other key. */
  createdBy: KeyId | null;
};

export type NewApiKey = { name: string | null; permissions: readonly Permission[]; expiresAt: number | null };

/** Few enough to disable or revoke all of them quickly, whatever their lineage. */
export const KEYS = { most: 1_000, kind: "API keys" };

/** The requesting key was revoked, disabled or has expired since this process last read it. */
export class KeyNoLongerWorks extends Error {
  constructor() {
    super("The requesting key no longer works");
    this.name = "KeyNoLongerWorks";
  }
}

const { hash: _hash, endpointId: _endpointId, ...COLUMNS } = getTableColumns(apiKeys);
/** SQL: leaves out the keys of receivers, which are in the same table. */
const IS_API_KEY = isNull(apiKeys.endpointId);

/** The id of the admin key. It has one row, whatever HERMOD_ADMIN_KEY was before. */
export const ADMIN_KEY_ID = "00000000-0000-7000-8000-000000000002" as KeyId;
const ADMIN_KEY_NAME = "HERMOD_ADMIN_KEY";

/**
 * Stores the keys. No key outlives its maker: it ends no later, is disabled with it and revoked with it. The exception is a key
 * that an administrator made for another account: it depends on no other key, unless it also reaches beyond that account.
 * Authenticators trust their caches for up to 5 s, so each change checks in its own transaction that `by`, the requesting key,
 * still works (`KeyNoLongerWorks`); null for a caller without a key. Every method throws `DatabaseUnavailable`.
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
    const maker = home === accountId || reachesBeyondAccount(permissions) ? by : null;
    const those = and(eq(apiKeys.accountId, accountId), IS_API_KEY);
    const had = typed(sql).select({ id: apiKeys.id }).from(apiKeys).where(those);
    await ensureBelowLimit(sql, accountId, KEYS, had);
    const key = newKey();
    const row = {
      id: newId("key"),
      accountId,
      name,
      hash: hashKey(key),
      permissions: [...permissions],
      createdBy: maker === ADMIN_KEY_ID ? null : maker,
      expiresAt: noLaterThan(expiresAt, maker),
    };
    const [record] = await typed(sql).insert(apiKeys).values(row).returning(COLUMNS);
    if (!record) throw new Error("the insert of an API key returned no row");
    return { key, record };
  }

  /** Reads a page of an account's keys, newest first. */
  page(accountId: AccountId, { limit, beyond }: PageRequest<KeyId>): Promise<ApiKey[]> {
    const those = and(eq(apiKeys.accountId, accountId), IS_API_KEY, beyond && lt(apiKeys.id, beyond));
    return this.db.run((sql) =>
      typed(sql).select(COLUMNS).from(apiKeys).where(those).orderBy(desc(apiKeys.id)).limit(limit),
    );
  }

  /** Resolves to null if the account has no such key. */
  async get(accountId: AccountId, id: KeyId): Promise<ApiKey | null> {
    const [record] = await this.db.run((sql) =>
      typed(sql).select(COLUMNS).from(apiKeys).where(isKey(accountId, id)),
    );
    return record ?? null;
  }

  /** Resolves to null for a key without a name, or an unknown key. */
  async nameOf(id: KeyId): Promise<string | null> {
    const [row] = await this.db.run(
      (sql) => sql<{ name: string | null }[]>`select name from api_keys where id = ${id}`,
    );
    return row?.name ?? null;
  }

  /** Enables only this key, not its descendants. Resolves to null if the account has no such key. */
  enable(accountId: AccountId, id: KeyId, by: KeyId | null): Promise<ApiKey | null> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "shared");
      await accountOfWorking(sql, by);
      const [record] = await typed(sql)
        .update(apiKeys)
        .set({ isActive: true })
        .where(isKey(accountId, id))
        .returning(COLUMNS);
      return record ?? null;
    });
  }

  /** Disables the key and its descendants. Resolves to null if the account has no such key. */
  disable(accountId: AccountId, id: KeyId, by: KeyId | null): Promise<ApiKey | null> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "exclusive");
      await accountOfWorking(sql, by);
      const line = expression`(
        with recursive line (key_id) as (
          select id from api_keys where id = ${id} and account_id = ${accountId}
          union
          select k.id from api_keys k join line on k.created_by = line.key_id
        )
        select key_id from line
      )`;
      const disabled = await typed(sql)
        .update(apiKeys)
        .set({ isActive: false })
        .where(expression`${apiKeys.id} in ${line}`)
        .returning(COLUMNS);
      return disabled.find((record) => record.id === id) ?? null;
    });
  }

  /** Deletes the key and, by the foreign key, its descendants. Resolves to false if there is none. Null means any account. */
  revoke(accountId: AccountId | null, id: KeyId, by: KeyId | null): Promise<boolean> {
    return this.db.transaction(async (sql) => {
      await lockLineage(sql, "exclusive");
      await accountOfWorking(sql, by);
      const deleted = await typed(sql)
        .delete(apiKeys)
        .where(isKey(accountId, id))
        .returning({ id: apiKeys.id });
      return deleted.length > 0;
    });
  }

  /** Makes `key` the admin key of the default account. Resolves to true if it replaces another key. */
  ensureAdminKey(key: string): Promise<boolean> {
    const hash = hashKey(key);
    return this.db.transaction(async (sql) => {
      // Processes that start together insert the same key, and `on conflict` covers only one unique index.
      await sql`select pg_advisory_xact_lock(${LOCKS.adminKey})`;
      const [other] =
        await sql`select from api_keys where id = ${ADMIN_KEY_ID} and hash <> ${hash} for update`;
      if (other) await sql`delete from sessions where key_id = ${ADMIN_KEY_ID}`;
      // If a stored key becomes the admin key, its descendants stay. Descendants of the admin key have no maker.
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

/** SQL: selects a key; null means any account. */
function isKey(accountId: AccountId | null, id: KeyId): SQL | undefined {
  return and(
    eq(apiKeys.id, id),
    IS_API_KEY,
    accountId === null ? undefined : eq(apiKeys.accountId, accountId),
  );
}

/** SQL: a time, or the end of a key if that is earlier. */
function noLaterThan(time: number | null, maker: KeyId | null): SQL {
  return expression`least(to_timestamp(${time}::float8 / 1000), (select expires_at from api_keys where id = ${maker}::uuid))`;
}

/** Prevents that keys are made or enabled while a key is disabled or revoked with its descendants. */
async function lockLineage(sql: TransactionSql, mode: "shared" | "exclusive"): Promise<void> {
  await (mode === "shared"
    ? sql`select pg_advisory_xact_lock_shared(${LOCKS.keyLineage})`
    : sql`select pg_advisory_xact_lock(${LOCKS.keyLineage})`);
}

/** Returns the account of the requesting key; null without a key. Throws `KeyNoLongerWorks`. */
async function accountOfWorking(sql: TransactionSql, id: KeyId | null): Promise<AccountId | null> {
  if (id === null) return null;
  const works = expression`${apiKeys.isActive} and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`;
  const [row] = await typed(sql)
    .select(COLUMNS)
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), works));
  if (!row) throw new KeyNoLongerWorks();
  return row.accountId;
}
