import { MAX_HOPS } from "../domain/ids";
import { ApiError, badRequest } from "./errors";

const HOPS_HEADER = "webhook-hops";

/**
 * Reads how many deliveries of Hermod led to a request: 0 without the header, null if it is no number. Hermod sends the
 * header with every delivery and no endpoint can override it, so requests in a loop count up, even through several
 * installations (like CDN-Loop, RFC 8586).
 */
export function hopsIn({ headers }: Request): number | null {
  const text = headers.get(HOPS_HEADER);
  if (text === null) return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Returns the refusal of a request that has looped too often. Its header ends the delivery that caused the request. */
export function refusalOfHops(hops: number | null): ApiError | null {
  if (hops === null) return badRequest(`${HOPS_HEADER} must be a whole number; Hermod alone sets it`);
  if (hops < MAX_HOPS) return null;
  return new ApiError(
    400,
    "BAD_REQUEST",
    `${HOPS_HEADER} is ${hops}, but must be less than ${MAX_HOPS}: an endpoint probably sends its deliveries back to this API`,
    { "webhook-delivery": "abort-message" },
  );
}
