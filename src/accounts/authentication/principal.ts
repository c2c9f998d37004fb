import type { AccountId, EndpointId, KeyId, SessionId } from "../../domain/ids";
import type { Permission } from "../../domain/permission";
import type { Portal } from "../../domain/portal";
import type { Person } from "../../domain/role";
import type { SessionKind } from "./session-token";

/** A session in a browser. */
export type PrincipalSession = Readonly<{
  /** A console session has the rights of its key, or of the person's role. A link is a portal session that is not open yet. */
  kind: SessionKind;
  id: SessionId;
  /** The scope of a portal session; null for the console. */
  portal: Portal | null;
  /** The key that began the session or made the link; null for a person. */
  keyId: KeyId | null;
  /** The person whom an identity provider signed in; null for a key. */
  person: Person | null;
  /** The text that the session's pages send with each change. */
  csrfToken: string;
  /** The latest end of the session, Unix milliseconds. */
  endsAt: number;
}>;

/** The cell that has a token, and its address. */
export type HomeCell = Readonly<{ name: string; url: string }>;

/** The key, JWT or session of a request, and its account. */
export type Principal = Readonly<{
  accountId: AccountId;
  /** The endpoint of a receiver's key, which has no permissions; null for all others, which reach the whole account. */
  endpointId: EndpointId | null;
  /** Null for a JWT, for a person, for another cell's key, and for a portal session, which can't manage keys. */
  keyId: KeyId | null;
  permissions: ReadonlySet<Permission>;
  /** Null for a key or a JWT. */
  session: PrincipalSession | null;
  /** End of the key or JWT, Unix milliseconds; null if it never expires. */
  expiresAt: number | null;
  /** The name of the account's plan. */
  plan: string;
  /** Null for no limit. */
  requestsPerMinute: number | null;
  /** True while its account leaves for another cell: its requests are answered 503. */
  isMoving: boolean;
  /** The cell that vouches for an administrator's token, and the token's key; null for a token that this cell has. */
  vouched: Readonly<{ cell: HomeCell; keyId: KeyId | null; keyName: string | null }> | null;
}>;

/** Returns the key of a request, in whichever cell it is; null for a JWT, a person and a portal session. */
export function requestingKeyOf({ keyId, vouched }: Principal): KeyId | null {
  return keyId ?? vouched?.keyId ?? null;
}

/** Begins the sentence that refuses a request without a key of this cell, for what ends with its key. */
export function onlyKey({ vouched }: Principal): string {
  return vouched ? "Only an API key of the account's own cell" : "Only an API key";
}
