import type { Principal } from "../accounts/principal";
import type { Allowance } from "../accounts/rate-limit";

/** A request that was let in: who asks, and what is left of their minute. */
export type Call = {
  readonly principal: Principal;
  readonly allowance: Allowance;
  /** The bytes of the request's body. */
  readonly body: Uint8Array;
};
