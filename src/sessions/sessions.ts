import { and, desc, eq, sql as expression, inArray, isNull, lte, or, type SQL } from "drizzle-orm";
import { DEFAULT_ACCOUNT } from "../accounts/account";
import { KeyNoLongerWorks } from "../accounts/api-keys";
import { hashKey } from "../accounts/authentication/api-key";
import { IDLE_SINCE, KEY_WORKS, SESSION } from "../accounts/authentication/session-lookup";
import { newToken } from "../accounts/authentication/session-token";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { apiKeys, sessions, usedSignIns } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, type KeyId, newId, type SessionId } from "../domain/ids";
import type { Person } from "../domain/role";

/** Most console sessions of a key or a person. One more ends the oldest. */
export const SESSIONS_PER_KEY = 50;

const NOW = expression`now()`;
/** Later than a sign-in can be used, by clocks that differ. */
const LONG_AGO = expression`now() - interval '1 day'`;
const LATEST_END = expression`now() + ${SESSION.hours}::float8 * interval '1 hour'`;

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
