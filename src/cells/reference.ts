import { decodeJwt } from "jose";
import { looksLikeJwt } from "../accounts/authentication/jwt";
import { kindOfToken } from "../accounts/authentication/session-token";

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
  if (account !== null) return { kind: "account", text: account };
  return { kind: "token", text: Bun.SHA256.hash(token, "hex"), isSession: kindOfToken(token) !== null };
}

/** Returns the account of a JWT; null if it has none, or the text is no JWT: operators choose the admin key. */
function accountClaimedBy(token: string): string | null {
  try {
    const { account_id } = decodeJwt(token);
    return typeof account_id === "string" ? account_id : null;
  } catch {
    return null;
  }
}

/** Returns the key of a reference in the directory. It shows no external id. */
export function keyOf({ kind, text }: CellReference): string {
  return `${kind}.${kind === "token" ? text : Bun.SHA256.hash(text, "hex")}`;
}
