import { EXTERNAL_ID_MARK, withoutMark } from "../accounts/external-id";
import { type CellReference, referenceOfAccount, referenceOfToken } from "../cells/reference";
import { percentDecoded } from "../runtime/text/plain-text";
import { ACCOUNT_HEADER, actedFor } from "./acting";

const ACCOUNT_IN_PATH = /^\/v1\/admin\/accounts\/([^/]+)/;

/**
 * Returns what may name the account of a request beside its token, best first: path, header or query. Null if nothing does, empty
 * for a name that no account has.
 */
export function accountsNamedIn(request: Request): CellReference[] | null {
  const [, segment] = ACCOUNT_IN_PATH.exec(new URL(request.url).pathname) ?? [];
  if (segment !== undefined) return inPath(percentDecoded(segment));
  if (request.headers.has(ACCOUNT_HEADER)) return accountsNamed(actedFor(request));
  return accountsFilteredBy(request);
}

/** Returns what may name the account to which an administrator's list is narrowed; null if it is of all accounts. */
export function accountsFilteredBy(request: Request): CellReference[] | null {
  const { pathname, searchParams } = new URL(request.url);
  const filter = pathname.startsWith("/v1/admin/") ? searchParams.get("account") : null;
  return filter === null ? null : named(withoutMark(filter));
}

/** Returns the accounts that a text may mean: a `~` at its start is a mark, unless an external id begins with it. */
export function accountsNamed(text: string | null): CellReference[] {
  if (text === null) return [];
  return text.startsWith(EXTERNAL_ID_MARK) ? named(text, withoutMark(text)) : named(text);
}

/** Returns what the token of a request leads to; null without one. */
export function addresseeOfToken(token: string | null): CellReference | null {
  return token === null ? null : referenceOfToken(token);
}

function inPath(segment: string | null): CellReference[] {
  return segment === null ? [] : named(withoutMark(segment));
}

function named(...texts: string[]): CellReference[] {
  return texts.flatMap((text) => referenceOfAccount(text) ?? []);
}
