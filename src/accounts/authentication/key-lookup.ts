import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { unixMs } from "../../db/sql/time";
import type { AccountId, EndpointId, KeyId } from "../../domain/ids";
import { Batcher } from "../../runtime/queues/batcher";

/** An active key with the facts that decide about its requests. Times are Unix milliseconds. */
export type KeyRow = {
  /** The SHA-256 of the key, hexadecimal. */
  hash: string;
  keyId: KeyId;
  accountId: AccountId;
  endpointId: EndpointId | null;
  permissions: string[];
  expiresAt: number | null;
  lastUsedAt: number | null;
  plan: string;
  requestsPerMinute: number | null;
  isMoving: boolean;
};

/** A later answer is too old to decide about a request. */
export const LOOKUP_TIMEOUT_MS = 4_000;
const MAX_BATCH = 500;
const MAX_READS = 2;
const MAX_QUEUED = 20_000;

/** Finds keys by their hashes, many in one statement. */
export class KeyLookup {
  private readonly batcher: Batcher<string, KeyRow | null>;

  constructor(private readonly db: Database) {
    this.batcher = new Batcher({
      run: (hashes) => this.findMany(hashes),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Resolves to null if no active key has this hash. Throws `DatabaseUnavailable`, or `QueueFull` if too many wait. */
  find(hash: string): Promise<KeyRow | null> {
    return this.batcher.submit(hash);
  }

  private async findMany(hashes: string[]): Promise<(KeyRow | null)[]> {
    const rows = await this.db.run((sql) => selectKeys(sql, hashes), LOOKUP_TIMEOUT_MS);
    const byHash = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => byHash.get(hash) ?? null);
  }
}

function selectKeys(sql: Sql, hashes: readonly string[]): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select encode(k.hash, 'hex') as hash, k.id as "keyId", k.account_id as "accountId", k.endpoint_id as "endpointId", k.permissions,
      ${unixMs(sql, "k.expires_at")} as "expiresAt",
      ${unixMs(sql, "k.last_used_at")} as "lastUsedAt",
      a.plan, p.requests_per_minute as "requestsPerMinute", a.departure is not null as "isMoving"
    from api_keys k
    join accounts a on a.id = k.account_id
    join plans p on p.name = a.plan
    left join endpoints e on e.id = k.endpoint_id
    where k.is_active and e.deleted_at is null and k.hash = any(${arrayOf(hashes.map((hash) => `\\x${hash}`))}::bytea[])
  `;
}
