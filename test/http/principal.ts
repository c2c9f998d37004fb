import type { Principal } from "../../src/accounts/authentication/principal";
import { newId } from "../../src/domain/ids";

/** A principal of an account without limits. */
export function principalOf(facts: Partial<Principal> = {}): Principal {
  return {
    accountId: newId("acc"),
    endpointId: null,
    vouched: null,
    keyId: null,
    session: null,
    permissions: new Set(),
    expiresAt: null,
    plan: "unlimited",
    requestsPerMinute: null,
    isMoving: false,
    ...facts,
  };
}
