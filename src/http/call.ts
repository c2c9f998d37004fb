import type { Principal } from "../accounts/principal";
import type { Allowance } from "../accounts/rate-limit";

/** A request that passed the guard. */
export type Call = {
  readonly principal: Principal;
  /** What is left of the account's minute. */
  readonly allowance: Allowance;
  /** The bytes of the request's body. */
  readonly body: Uint8Array;
  /** Deliveries of Hermod that led to the request. */
  readonly hops: number;
};
