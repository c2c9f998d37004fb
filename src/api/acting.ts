import { DEFAULT_ACCOUNT } from "../accounts/account";
import type { Authenticator } from "../accounts/authentication/authenticator";
import type { Principal } from "../accounts/authentication/principal";
import type { AccountId } from "../domain/ids";
import { percentDecoded } from "../runtime/text/plain-text";
import { ANY_CELL, type ApiError, badRequest, CELL_HEADER, forbidden } from "./errors";
import { mayNameAccount, unknownAccount } from "./external-ids";
import type { Operation } from "./openapi/operation";

export const ACCOUNT_HEADER = "hermod-account";

/**
 * Returns the principal of a request; null if it names an unknown account. A key with `accounts:act` may act for another
 * account. The request then has the key's permissions and counts against the other account's limits.
 */
export function principalFor(
  request: Request,
  principal: Principal,
  authenticator: Pick<Authenticator, "actFor">,
): Principal | null | Promise<Principal | null> {
  // Without `accounts:act`, `refusalOfActing` refuses the request, whether or not the account exists.
  if (!request.headers.has(ACCOUNT_HEADER) || !principal.permissions.has("accounts:act")) return principal;
  const reference = actedFor(request);
  return reference !== null && mayNameAccount(reference) ? authenticator.actFor(principal, reference) : null;
}

/** Returns what names the account in the header, percent-encoded like a path so that it can be any external id; null without. */
export function actedFor({ headers }: Request): string | null {
  const header = headers.get(ACCOUNT_HEADER);
  return header === null ? null : percentDecoded(header);
}

/** Returns the 400 for a request for an account that does not exist. */
export function unknownActor(request: Request): ApiError {
  return unknownAccount("Hermod-Account", actedFor(request), ", percent-encoded");
}

/** Throws the 400 for a request that concerns the account of every cell, if a router has chosen any of them. */
export function refuseAnyCell({ headers }: Request, accountId: AccountId): void {
  if (accountId !== DEFAULT_ACCOUNT || headers.get(CELL_HEADER) !== ANY_CELL) return;
  throw badRequest("Every cell has this account: name another account, or one cell by Hermod-Cell");
}

/** Returns the 403 for a request for another account, or for all, by a key without `accounts:act`. */
export function refusalOfActing(
  request: Request,
  { ofAllAccounts }: Operation,
  { permissions }: Principal,
): ApiError | null {
  if (permissions.has("accounts:act")) return null;
  if (ofAllAccounts) return forbidden("All accounts need the permission accounts:act");
  if (!request.headers.has(ACCOUNT_HEADER)) return null;
  return forbidden("Hermod-Account needs the permission accounts:act");
}
