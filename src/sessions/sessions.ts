import { and, desc, eq, sql as expression, gt, inArray, isNull, lte, or, type SQL } from "drizzle-orm";
import { DEFAULT_ACCOUNT } from "../accounts/account";
import { KeyNoLongerWorks } from "../accounts/api-keys";
import { hashKey } from "../accounts/authentication/api-key";
import { LOOKUP_TIMEOUT_MS } from "../accounts/authentication/key-lookup";
import type { Person } from "../accounts/authentication/role";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { accounts, apiKeys, plans, sessions, usedSignIns } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, type KeyId, newId, type SessionId } from "../domain/ids";
import { newToken } from "./session-token";

/** A session of a key ends this long after it began; each ends after this long without a request. */
export const SESSION = { hours: 12, idleMinutes: 30 };

/** Most console sessions of a key or a person. One more ends the oldest. */
export const SESSIONS_PER_KEY = 50;

/** The time of a session's last request is updated when it is older than this. */
const SEEN_RESOLUTION_MS = 60_000;

const NOW = expression`now()`;
const IDLE_SINCE = expression`now() - ${SESSION.idleMinutes}::float8 * interval '1 minute'`;
/** Later than a sign-in can be used, by clocks that differ. */
const LONG_AGO = expression`now() - interval '1 day'`;
const LATEST_END = expression`now() + ${SESSION.hours}::float8 * interval '1 hour'`;
const KEY_WORKS = and(eq(apiKeys.isActive, true), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, NOW)));

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
};

/** A session that has not ended. Times are Unix milliseconds. */
export type FoundSession = NonNullable<Awaited<ReturnType<Sessions["find"]>>>;

export type NewSession = { id: SessionId; token: string; endsAt: number };

/**
 * Stores sessions by the hash of their tokens. A key's session works only while the key works: it is read together with the
 * key, and deleted with it. Every method throws `DatabaseUnavailable`.
 */
export class Sessions {
  constructor(private readonly db: Database) {}

  /** Begins a console session of a key. Throws `KeyNoLongerWorks`. */
  begin(keyId: KeyId): Promise<NewSession> {
    return this.db.transaction(async (sql) => {
      // Locks the key, so that concurrent sign-ins count each other's sessions.
      const [key] = await typed(sql)
        .select({ accountId: apiKeys.accountId })
        .from(apiKeys)
        .where(and(eq(apiKeys.id, keyId), KEY_WORKS))
        .for("no key update");
      if (!key) throw new KeyNoLongerWorks();
      const expiresAt = expression`least(${LATEST_END}, (select expires_at from api_keys where id = ${keyId}))`;
      const made = await write(sql, { accountId: key.accountId, keyId, expiresAt });
      await endOldest(sql, eq(sessions.keyId, keyId));
      return made;
    });
  }

  /**
   * Begins a console session of a person, in the default account. It ends after `seconds`. Resolves to null if the sign-in with
   * this id has begun a session before: providers must take a code once, but not all do.
   */
  beginForPerson(person: Person, seconds: number, signIn: Uint8Array): Promise<NewSession | null> {
    const expiresAt = expression`now() + ${seconds}::float8 * interval '1 second'`;
    return this.db.transaction(async (sql) => {
      const first = typed(sql).insert(usedSignIns).values({ id: signIn }).onConflictDoNothing();
      if ((await first.returning({ id: usedSignIns.id })).length === 0) return null;
      const made = await write(sql, { accountId: DEFAULT_ACCOUNT, person, expiresAt });
      await endOldest(sql, eq(expression`${sessions.person}->>'subject'`, person.subject));
      return made;
    });
  }

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

  /** Ends a session. Resolves to false if it has ended already. */
  async end(id: SessionId): Promise<boolean> {
    const ended = await this.db.run((sql) =>
      typed(sql).delete(sessions).where(eq(sessions.id, id)).returning({ id: sessions.id }),
    );
    return ended.length > 0;
  }

  /** Deletes the sessions that have ended, and the sign-ins that could not be used again anyway. */
  async deleteExpired(): Promise<void> {
    const isOver = or(lte(sessions.expiresAt, NOW), lte(sessions.seenAt, IDLE_SINCE));
    await this.db.run((sql) => typed(sql).delete(sessions).where(isOver));
    await this.db.run((sql) => typed(sql).delete(usedSignIns).where(lte(usedSignIns.usedAt, LONG_AGO)));
  }

  private async noteSeen(id: SessionId): Promise<void> {
    await this.db.run((sql) => typed(sql).update(sessions).set({ seenAt: NOW }).where(eq(sessions.id, id)));
  }
}

type SessionOwner = { keyId: KeyId } | { person: Person };

async function write(
  sql: TransactionSql,
  session: SessionOwner & { accountId: AccountId; expiresAt: SQL },
): Promise<NewSession> {
  const [id, token] = [newId("ses"), newToken("console")];
  const row = { id, hash: hashKey(token), ...session };
  const [made] = await typed(sql).insert(sessions).values(row).returning({ endsAt: sessions.expiresAt });
  if (!made) throw new Error("the insert of a session returned no row");
  return { id, token, endsAt: made.endsAt };
}

async function endOldest(sql: TransactionSql, isOwn: SQL): Promise<void> {
  const isConsole = and(isOwn, isNull(sessions.portal));
  const oldest = typed(sql)
    .select({ id: sessions.id })
    .from(sessions)
    .where(isConsole)
    .orderBy(desc(sessions.id))
    .offset(SESSIONS_PER_KEY);
  await typed(sql).delete(sessions).where(inArray(sessions.id, oldest));
}
