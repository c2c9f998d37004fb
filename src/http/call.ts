import type { Principal } from "../accounts/authentication/principal";
import type { Allowance } from "../accounts/rate-limit";

/** A request that passed the guard. */
export type Call = {
  readonly principal: Principal;
  /** The account's remaining requests in this minute. */
  readonly allowance: Allowance;
  /** The request's body. */
  readonly body: Uint8Array;
  /** How many deliveries of Hermod led to the request. */
  readonly hops: number;
  /** Judges the request's credential again, for answers that go on for long. */
  isStillAllowed(): Promise<boolean>;
};
