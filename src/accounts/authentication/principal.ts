import type { AccountId, KeyId } from "../../domain/ids";
import type { Permission } from "./permissions";

/** The key or JWT that a request came with, and its account. */
export type Principal = Readonly<{
  accountId: AccountId;
  /** Null for a JWT. */
  keyId: KeyId | null;
  permissions: ReadonlySet<Permission>;
  /** Unix milliseconds; null: never. */
  expiresAt: number | null;
  /** The name of the account's plan. */
  plan: string;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}>;
