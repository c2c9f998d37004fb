import type { Authenticator } from "../accounts/authenticator";
import type { Principal } from "../accounts/principal";
import { percentDecoded } from "../runtime/percent-encoding";
import { badRequest, forbidden } from "./errors";
import { mayBeExternalId } from "./external-ids";

export const ACCOUNT_HEADER = "hermod-account";

/**
 * Returns the principal that a request is judged as: an administrator may act for another account. Then all of the request is
 * that account's, its limits as well; the permissions stay those of the key. Throws 403 and 400.
 */
export function principalFor(
  request: Request,
  principal: Principal,
  authenticator: Pick<Authenticator, "actFor">,
): Principal | Promise<Principal> {
  const header = request.headers.get(ACCOUNT_HEADER);
  if (header === null) return principal;
  if (!principal.permissions.has("admin")) throw forbidden("Hermod-Account needs the permission admin");
  // As in a path, so that any external id can be written in a header.
  const reference = percentDecoded(header);
  const isSound = reference !== null && mayBeExternalId(reference);
  const found = isSound ? authenticator.actFor(principal, reference) : null;
  return found instanceof Promise ? found.then(known) : known(found);
}

function known(principal: Principal | null): Principal {
  if (principal) return principal;
  throw badRequest("Hermod-Account must be an account's id (acc_…) or its external_id, percent-encoded");
}
