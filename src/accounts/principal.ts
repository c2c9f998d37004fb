import type { AccountId, KeyId } from "../runtime/ids";
import type { Permission } from "./permissions";

/** Who makes a request, and what they may do. */
export type Principal = Readonly<{
  accountId: AccountId;
  /** Null for a JWT. */
  keyId: KeyId | null;
  permissions: ReadonlySet<Permission>;
  /** The name of the account's plan. */
  plan: string;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}>;
