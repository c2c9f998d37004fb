import { and, desc, eq, isNull, lt } from "drizzle-orm";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { TransactionSql } from "../db/pool";
import { apiKeys, endpoints } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, type EndpointId, type KeyId, newId } from "../domain/ids";
import { RECEIVER_KEYS } from "../domain/receiver-key";
import { hashKey, newKey } from "./authentication/api-key";
import { ensureBelowLimit } from "./limit";

const LIMIT = { most: RECEIVER_KEYS.most, kind: "receiver keys", of: "endpoint" } as const;

const COLUMNS = {
  id: apiKeys.id,
  name: apiKeys.name,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
};

/** The key of an endpoint's receiver, without its text. Times are Unix milliseconds. */
export type ReceiverKey = {
  id: KeyId;
  name: string | null;
  createdAt: number;
  /** The time of the last use, exact to a minute; null before the first use. */
  lastUsedAt: number | null;
};

type OwnedEndpoint = { accountId: AccountId; endpointId: EndpointId };

/**
 * Stores the keys of endpoints' receivers. A receiver's key belongs to the endpoint, like the signing secret: it stays when the
 * API key that created it ends, so that no receiver stops because its sender changed a key. Every method throws
 * `DatabaseUnavailable`.
 */
export class ReceiverKeys {
  constructor(private readonly db: Database) {}

  /** Returns the text of the new key, which is not stored; null if the account has no such endpoint. Throws `LimitReached`. */
  async create(
    sql: TransactionSql,
    { accountId, endpointId }: OwnedEndpoint,
    name: string | null,
  ): Promise<{ key: string; record: ReceiverKey } | null> {
    const had = typed(sql).select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.endpointId, endpointId));
    await ensureBelowLimit(sql, accountId, LIMIT, had);
    if (!(await isThere(sql, { accountId, endpointId }))) return null;
    const key = newKey("receiver");
    const row = { id: newId("key"), accountId, endpointId, name, hash: hashKey(key), permissions: [] };
    const [record] = await typed(sql).insert(apiKeys).values(row).returning(COLUMNS);
    if (!record) throw new Error("the insert of a receiver's key returned no row");
    return { key, record };
  }

  /** Reads a page of an endpoint's keys, newest first. */
  page(
    { accountId, endpointId }: OwnedEndpoint,
    { limit, beyond }: PageRequest<KeyId>,
  ): Promise<ReceiverKey[]> {
    const those = and(isOf(accountId, endpointId), beyond && lt(apiKeys.id, beyond));
    return this.db.run((sql) =>
      typed(sql).select(COLUMNS).from(apiKeys).where(those).orderBy(desc(apiKeys.id)).limit(limit),
    );
  }

  /** Deletes a key. Resolves to false if the endpoint has no such key. */
  async revoke({ accountId, endpointId }: OwnedEndpoint, id: KeyId): Promise<boolean> {
    const isIt = and(isOf(accountId, endpointId), eq(apiKeys.id, id));
    const revoked = await this.db.run((sql) =>
      typed(sql).delete(apiKeys).where(isIt).returning({ id: apiKeys.id }),
    );
    return revoked.length > 0;
  }
}

function isOf(accountId: AccountId, endpointId: EndpointId) {
  return and(eq(apiKeys.accountId, accountId), eq(apiKeys.endpointId, endpointId));
}

/** True if the account has the endpoint. Locks it until the end of the transaction, so that it is not deleted meanwhile. */
async function isThere(sql: TransactionSql, { accountId, endpointId }: OwnedEndpoint): Promise<boolean> {
  const isIt = and(
    eq(endpoints.id, endpointId),
    eq(endpoints.accountId, accountId),
    isNull(endpoints.deletedAt),
  );
  const [row] = await typed(sql).select({ id: endpoints.id }).from(endpoints).where(isIt).for("share");
  return row !== undefined;
}
