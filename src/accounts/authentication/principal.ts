import type { AccountId, KeyId, SessionId } from "../../domain/ids";
import type { Permission } from "./permissions";

/** A session in a browser. It has the rights of the key that began it. */
export type PrincipalSession = Readonly<{
  id: SessionId;
  /** What the session's pages send with each change. */
  csrfToken: string;
  /** When it ends at the latest, Unix milliseconds. */
  endsAt: number;
}>;

/** The key, JWT or session that a request came with, and its account. */
export type Principal = Readonly<{
  accountId: AccountId;
  /** Null for a JWT. */
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
