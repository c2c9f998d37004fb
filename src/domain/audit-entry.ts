import type { AccountId, AuditId, KeyId, SessionId } from "./ids";

/** The kinds of actors that make changes: the holder of a key or JWT, a portal session, or a person. */
export const ACTOR_KINDS = ["key", "jwt", "portal", "person"] as const;

/** Fields of a change and their values. */
export type Facts = Readonly<Record<string, unknown>>;

/** An entry of the audit log. `before` and `after` have the changed fields, without secrets. */
export type AuditEntry = {
  /** The id, which contains the time of the change. */
  id: AuditId;
  /** The account that the change concerns. */
  accountId: AccountId;
  /** The operation's name in the API's description. */
  operation: string;
  /** The public id or the name of the changed resource. */
  target: string | null;
  actorKind: (typeof ACTOR_KINDS)[number];
  /** The key of the request, of its session, or of the link to its portal session. */
  keyId: KeyId | null;
  /** The key's name at the time, or the person's. */
  actorName: string | null;
  sessionId: SessionId | null;
  requestId: string;
  before: Facts | null;
  after: Facts | null;
};
