import type { Principal } from "../accounts/authentication/principal";
import type { Allowance } from "../accounts/rate-limit";
import type { RequestBody } from "./json/request-body";

/** A request that passed the guard. */
export type Call = {
  readonly principal: Principal;
  /** The account's remaining requests in this minute. */
  readonly allowance: Allowance;
  /** The request's body. */
  readonly body: RequestBody;
  /** The number of deliveries of Hermod that led to the request. */
  readonly hops: number;
  /** Checks the request's credential again, for long answers. */
  isStillAllowed(): Promise<boolean>;
};
