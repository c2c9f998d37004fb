import { accountsNamedIn, addresseeOfToken } from "../api/addressee";
import { CELL_HEADER } from "../api/errors";
import { refuseUnknownParameters } from "../api/lists/query";
import { type SessionCookie, tokenOf } from "../api/session-cookie";
import type { CellReference } from "../cells/reference";

/** Where a request is meant to go. The router only reads its head, and checks nothing: its cell does. */
export type Aim =
  /** To the cell that `Hermod-Cell` or the path names. */
  | Readonly<{ kind: "place"; place: string }>
  /** Of this router. */
  | Readonly<{ kind: "health"; status: "live" | "ready" }>
  /** To any cell: its path is not of the API. */
  | Readonly<{ kind: "any" }>
  /** Nowhere: the request has no token. */
  | Readonly<{ kind: "stranger" }>
  /** To a new account's cell, unless an account with this name is somewhere already. */
  | Readonly<{ kind: "new"; accounts: readonly CellReference[] }>
  /** To the first known account of these, or else to the cell of the token. Null if only the token names one. */
  | Readonly<{ kind: "known"; accounts: readonly CellReference[] | null; token: CellReference }>
  /** To all cells, if the token is known everywhere: a list that the router merges. */
  | Readonly<{ kind: "list"; token: CellReference }>
  | Readonly<{ kind: "cells" }>;

const HEALTH = ["live", "ready"] as const;
const ACCOUNTS = "/v1/admin/accounts";
const CELLS = "/v1/admin/cells";
/** Lists that the router merges: their items have ids, and come in the order of ids, newest first. */
export const MERGED = [ACCOUNTS, "/v1/admin/deliveries", "/v1/admin/endpoints", "/v1/admin/events"];

export function aimOf(request: Request, cookie: SessionCookie): Aim {
  const { method } = request;
  const { pathname } = new URL(request.url);
  const health = HEALTH.find((status) => pathname === `/health/${status}`);
  if (health) {
    refuseUnknownParameters(request.url, []);
    return { kind: "health", status: health };
  }
  if (!pathname.startsWith("/v1/") || method === "OPTIONS") return { kind: "any" };
  const token = addresseeOfToken(tokenOf(request, cookie));
  if (token === null) return { kind: "stranger" };
  if (method === "GET" && pathname === CELLS) return { kind: "cells" };
  const place = request.headers.get(CELL_HEADER) ?? cellIn(pathname);
  const accounts = accountsNamedIn(request);
  const isNew = method === "POST" ? pathname === ACCOUNTS : method === "PUT" && pathname.startsWith(ACCOUNTS);
  if (place !== null && !(isNew && place.endsWith("*"))) return { kind: "place", place };
  if (isNew) return { kind: "new", accounts: accounts ?? [] };
  const isList = method === "GET" && MERGED.includes(pathname) && accounts === null;
  return isList ? { kind: "list", token } : { kind: "known", accounts, token };
}

/** True for a request under /v1. */
export function isOfApi({ kind }: Aim): boolean {
  return kind !== "health" && kind !== "any";
}

/** Returns the cell that a path names; null if it names none. */
function cellIn(pathname: string): string | null {
  return pathname.startsWith(`${CELLS}/`) ? pathname.slice(CELLS.length + 1) : null;
}
