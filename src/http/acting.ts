import type { Authenticator } from "../accounts/authenticator";
import type { Principal } from "../accounts/principal";
import { percentDecoded } from "../runtime/percent-encoding";
import { type ApiError, badRequest, forbidden } from "./errors";
import { mayBeExternalId } from "./external-ids";

export const ACCOUNT_HEADER = "hermod-account";

/**
 * Returns the principal that a request is judged as; null if it names no account. An administrator may act for another
 * account: then all of the request is that account's, its limits as well; the permissions stay those of the key.
 */
export function principalFor(
  request: Request,
  principal: Principal,
  authenticator: Pick<Authenticator, "actFor">,
): Principal | null | Promise<Principal | null> {
  const header = request.headers.get(ACCOUNT_HEADER);
  // Without `admin`, `refusalOfActing` refuses the request, whether or not the account exists.
  if (header === null || !principal.permissions.has("admin")) return principal;
  // As in a path, so that any external id can be written in a header.
  const reference = percentDecoded(header);
  return reference !== null && mayBeExternalId(reference) ? authenticator.actFor(principal, reference) : null;
}

/** The refusal of a request for another account by a key without `admin`. */
export function refusalOfActing(request: Request, { permissions }: Principal): ApiError | null {
  const isPermitted = permissions.has("admin") || !request.headers.has(ACCOUNT_HEADER);
  return isPermitted ? null : forbidden("Hermod-Account needs the permission admin");
}

/** The refusal of a request that acts for an account that does not exist. */
export function unknownAccount(): ApiError {
  return badRequest("Hermod-Account must be an account's id (acc_…) or its external_id, percent-encoded");
}
