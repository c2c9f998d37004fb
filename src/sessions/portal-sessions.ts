import { and, eq, sql as expression, gt } from "drizzle-orm";
import { hashKey } from "../accounts/authentication/api-key";
import { newToken } from "../accounts/authentication/session-token";
import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { sessions } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, type KeyId, newId, type SessionId } from "../domain/ids";
import { PORTAL, type Portal } from "../domain/portal";
import type { NewSession } from "./sessions";

/** Stores portal sessions. Each is a link first, which can be opened once. Every method throws `DatabaseUnavailable`. */
export class PortalSessions {
  constructor(private readonly db: Database) {}

  /** Makes a link to a session for an account. The session ends with the key. */
  async makeLink(sql: AnySql, keyId: KeyId, accountId: AccountId, portal: Portal): Promise<NewSession> {
    const token = newToken("link");
    const id = newId("ses");
    const row = {
      id,
      hash: hashKey(token),
      keyId,
      accountId,
      portal,
      isLink: true,
      expiresAt: inSeconds(PORTAL.linkSeconds),
    };
    const [made] = await typed(sql).insert(sessions).values(row).returning({ endsAt: sessions.expiresAt });
    if (!made) throw new Error("the insert of a portal link returned no row");
    return { id, token, endsAt: made.endsAt };
  }

  /** Opens a link and ends its token. Resolves to null if the link was opened already or is too old. */
  async open(id: SessionId, { seconds }: Portal): Promise<NewSession | null> {
    const token = newToken("portal");
    const change = {
      hash: hashKey(token),
      isLink: false,
      expiresAt: inSeconds(seconds),
      seenAt: expression`now()`,
    };
    // Of two concurrent requests, the second waits for this row, and then finds no link.
    const isOpen = and(
      eq(sessions.id, id),
      eq(sessions.isLink, true),
      gt(sessions.expiresAt, expression`now()`),
    );
    const [opened] = await this.db.run((sql) =>
      typed(sql).update(sessions).set(change).where(isOpen).returning({ endsAt: sessions.expiresAt }),
    );
    return opened ? { id, token, endsAt: opened.endsAt } : null;
  }
}

function inSeconds(seconds: number) {
  return expression`now() + ${seconds} * interval '1 second'`;
}
