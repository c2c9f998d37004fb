import type { AccountId, KeyId, SessionId } from "../../domain/ids";
import type { Portal } from "../../sessions/portal";
import type { SessionKind } from "../../sessions/session-token";
import type { Permission } from "./permissions";
import type { Person } from "./role";

/** A session in a browser. */
export type PrincipalSession = Readonly<{
  /** A console session has the rights of the key that began it, or of the person's role. A link is a portal session that is not opened yet. */
  kind: SessionKind;
  id: SessionId;
  /** What it is for; null for the console. */
  portal: Portal | null;
  /** The key that began it, or made the link; null for a person. */
  keyId: KeyId | null;
  /** Who an identity provider signed in; null for a key. */
  person: Person | null;
  /** What the session's pages send with each change. */
  csrfToken: string;
  /** When it ends at the latest, Unix milliseconds. */
  endsAt: number;
}>;

/** The key, JWT or session that a request came with, and its account. */
export type Principal = Readonly<{
  accountId: AccountId;
  /** Null for a JWT, a person, and a portal session, which can do nothing with keys. */
  keyId: KeyId | null;
  permissions: ReadonlySet<Permission>;
  /** Null for a key or a JWT. */
  session: PrincipalSession | null;
  /** End of the key or JWT, Unix milliseconds; null: never. */
  expiresAt: number | null;
  /** The name of the account's plan. */
  plan: string;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}>;
