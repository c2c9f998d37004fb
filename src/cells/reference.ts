import { decodeJwt } from "jose";
import { looksLikeJwt } from "../accounts/authentication/jwt";
import { kindOfToken } from "../accounts/authentication/session-token";
import { EXTERNAL_ID_MAX_LENGTH } from "../accounts/external-id";
import { nameProblem } from "../runtime/text/plain-text";

/**
 * What a cell is looked up by: a token, by the SHA-256 that is stored of it, or an account, by its id or external id. A session
 * lasts for hours at most, so the directory keeps no entry for its token.
 */
export type CellReference =
  | Readonly<{ kind: "token"; text: string; isSession: boolean }>
  | Readonly<{ kind: "account"; text: string }>;

/** Longer tokens belong to nobody. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * Returns what a token leads to: the account that a JWT names, unchecked, or the token itself. The cell checks the token, so a
 * forged one only reaches a cell that refuses it. Null for a token that is too long.
 */
export function referenceOfToken(token: string): CellReference | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const account = looksLikeJwt(token) ? accountClaimedBy(token) : null;
  if (account !== null) return account;
  return { kind: "token", text: Bun.SHA256.hash(token, "hex"), isSession: kindOfToken(token) !== null };
}

/** Returns the account that a text names; null for a text that is neither an id nor an external id. */
export function referenceOfAccount(text: string): CellReference | null {
  return nameProblem(text, EXTERNAL_ID_MAX_LENGTH) === null ? { kind: "account", text } : null;
}

/** Returns the account of a JWT; null if it has none, or the text is no JWT: operators choose the admin key. */
function accountClaimedBy(token: string): CellReference | null {
  try {
    const { account_id } = decodeJwt(token);
    return typeof account_id === "string" ? referenceOfAccount(account_id) : null;
  } catch {
    return null;
  }
}

/** Returns the key of a reference in the directory. It shows no external id. */
export function keyOf({ kind, text }: CellReference): string {
  return `${kind}.${kind === "token" ? text : Bun.SHA256.hash(text, "hex")}`;
}
