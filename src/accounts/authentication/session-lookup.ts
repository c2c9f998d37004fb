import { and, eq, sql as expression, gt, isNull, or } from "drizzle-orm";
import type { Database } from "../../db/database";
import { accounts, apiKeys, plans, sessions } from "../../db/schema";
import { typed } from "../../db/typed";
import type { SessionId } from "../../domain/ids";
import { IS_MOVING } from "./account-limits";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";

/** A session of a key ends this long after it began; each ends after this long without a request. */
export const SESSION = { hours: 12, idleMinutes: 30 };

/** The time of a session's last request is updated when it is older than this. */
const SEEN_RESOLUTION_MS = 60_000;

const NOW = expression`now()`;
/** A session with an older last request has ended. */
export const IDLE_SINCE = expression`now() - ${SESSION.idleMinutes}::float8 * interval '1 minute'`;
/** True for a key that may be used. */
export const KEY_WORKS = and(
  eq(apiKeys.isActive, true),
  or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, NOW)),
);

/** The fields by which a session's requests are authorized. */
const FOUND = {
  id: sessions.id,
  endsAt: sessions.expiresAt,
  isLink: sessions.isLink,
  portal: sessions.portal,
  person: sessions.person,
  seenMsAgo: expression<number>`(extract(epoch from now() - ${sessions.seenAt}) * 1000)::float8`,
  accountId: sessions.accountId,
  keyId: sessions.keyId,
  permissions: apiKeys.permissions,
  keyExpiresAt: apiKeys.expiresAt,
  keyUsedAt: apiKeys.lastUsedAt,
  plan: accounts.plan,
  requestsPerMinute: plans.requestsPerMinute,
  isMoving: IS_MOVING,
};

/** A session that has not ended. Times are Unix milliseconds. */
export type FoundSession = NonNullable<Awaited<ReturnType<SessionLookup["find"]>>>;

/** Finds sessions by the hash of their tokens. Throws `DatabaseUnavailable`. */
export class SessionLookup {
  constructor(private readonly db: Database) {}

  /** Returns the session with this hash (hexadecimal); null if it has ended or its key no longer works. */
  async find(hash: string) {
    const works = and(
      eq(sessions.hash, Buffer.from(hash, "hex")),
      gt(sessions.expiresAt, NOW),
      gt(sessions.seenAt, IDLE_SINCE),
      or(isNull(sessions.keyId), KEY_WORKS),
    );
    const [found] = await this.db.run(
      (sql) =>
        typed(sql)
          .select(FOUND)
          .from(sessions)
          .leftJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
          .innerJoin(accounts, eq(accounts.id, sessions.accountId))
          .innerJoin(plans, eq(plans.name, accounts.plan))
          .where(works),
      LOOKUP_TIMEOUT_MS,
    );
    if (!found) return null;
    // Ignores failures: requests that read must work while Postgres takes no writes. The session then seems idle.
    if (found.seenMsAgo > SEEN_RESOLUTION_MS) this.noteSeen(found.id).catch(() => {});
    return found;
  }

  private async noteSeen(id: SessionId): Promise<void> {
    await this.db.run((sql) => typed(sql).update(sessions).set({ seenAt: NOW }).where(eq(sessions.id, id)));
  }
}
