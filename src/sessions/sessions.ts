import { KeyNoLongerWorks } from "../accounts/api-keys";
import { hashKey } from "../accounts/authentication/api-key";
import { LOOKUP_TIMEOUT_MS } from "../accounts/authentication/key-lookup";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import { type AccountId, type KeyId, newId, type SessionId } from "../domain/ids";
import { newSessionToken } from "./session-token";

/** A session ends this long after it began, and after this long without a request. */
export const SESSION = { hours: 12, idleMinutes: 30 };

/** Most sessions of a key; beyond it the oldest ends. */
export const SESSIONS_PER_KEY = 50;

/** How late the last request of a session may be noted, in milliseconds. */
const SEEN_RESOLUTION_MS = 60_000;

/** A session that works, with what requests are judged by. Times are Unix milliseconds. */
export type SessionRow = {
  id: SessionId;
  /** When it ends, at the latest. */
  endsAt: number;
  accountId: AccountId;
  keyId: KeyId;
  /** The key's. */
  permissions: string[];
  keyExpiresAt: number | null;
  keyUsedAt: number | null;
  plan: string;
  requestsPerMinute: number | null;
};

export type NewSession = { id: SessionId; token: string; endsAt: number };

/**
 * Stores sessions, each by the hash of its token. A session works only while its key does: it is read together with
 * the key, and deleted with it. Every method throws `DatabaseUnavailable`.
 */
export class Sessions {
  constructor(private readonly db: Database) {}

  /** Begins a session of a key. Throws `KeyNoLongerWorks`. */
  begin(keyId: KeyId): Promise<NewSession> {
    return this.db.transaction(async (sql) => {
      const token = newSessionToken();
      // Locks the key, so that concurrent sign-ins count each other's sessions.
      const [key] = await sql`
        select from api_keys where id = ${keyId} and is_active and (expires_at is null or expires_at > now())
        for no key update
      `;
      if (!key) throw new KeyNoLongerWorks();
      const id = newId("ses");
      const [row] = await sql<{ endsAt: number }[]>`
        insert into sessions (id, hash, key_id, expires_at)
        select ${id}, ${hashKey(token)}, id,
          least(now() + ${SESSION.hours} * interval '1 hour', expires_at)
        from api_keys where id = ${keyId}
        returning ${unixMs(sql, "expires_at")} as "endsAt"
      `;
      if (!row) throw new KeyNoLongerWorks();
      await endOldest(sql, keyId);
      return { id, token, endsAt: row.endsAt };
    });
  }

  /** Returns the session with this hash (hexadecimal); null if it has ended or its key no longer works. */
  async find(hash: string): Promise<SessionRow | null> {
    const [row] = await this.db.run(
      (sql) => sql<(SessionRow & { seenMsAgo: number })[]>`
        select s.id, ${unixMs(sql, "s.expires_at")} as "endsAt",
          (extract(epoch from now() - s.seen_at) * 1000)::float8 as "seenMsAgo",
          k.account_id as "accountId", k.id as "keyId", k.permissions,
          ${unixMs(sql, "k.expires_at")} as "keyExpiresAt", ${unixMs(sql, "k.last_used_at")} as "keyUsedAt",
          a.plan, p.requests_per_minute as "requestsPerMinute"
        from sessions s
        join api_keys k on k.id = s.key_id
        join accounts a on a.id = k.account_id
        join plans p on p.name = a.plan
        where s.hash = decode(${hash}, 'hex') and s.expires_at > now()
          and s.seen_at > now() - ${SESSION.idleMinutes} * interval '1 minute'
          and k.is_active and (k.expires_at is null or k.expires_at > now())
      `,
      LOOKUP_TIMEOUT_MS,
    );
    if (!row) return null;
    const { seenMsAgo, ...session } = row;
    // Reads work while Postgres takes no writes; the session then idles.
    if (seenMsAgo > SEEN_RESOLUTION_MS) this.noteSeen(row.id).catch(() => {});
    return session;
  }

  /** Ends a session; false if it has ended already. */
  async end(id: SessionId): Promise<boolean> {
    const ended = await this.db.run((sql) => sql`delete from sessions where id = ${id}`);
    return ended.count > 0;
  }

  /** Deletes the sessions that have ended. */
  async sweep(): Promise<void> {
    await this.db.run(
      (sql) => sql`
        delete from sessions
        where expires_at <= now() or seen_at <= now() - ${SESSION.idleMinutes} * interval '1 minute'
      `,
    );
  }

  private async noteSeen(id: SessionId): Promise<void> {
    await this.db.run((sql) => sql`update sessions set seen_at = now() where id = ${id}`);
  }
}

async function endOldest(sql: TransactionSql, keyId: KeyId): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where key_id = ${keyId} order by id desc offset ${SESSIONS_PER_KEY}
    )
  `;
}
