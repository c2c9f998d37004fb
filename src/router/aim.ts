import { accountsFilteredBy, accountsNamedIn, addresseeOfToken } from "../api/addressee";
import { CELL_HEADER } from "../api/errors";
import { refuseUnknownParameters } from "../api/lists/query";
import type { CellSpread } from "../api/openapi/operation";
import { type SessionCookie, tokenOf } from "../api/session-cookie";
import type { CellReference } from "../cells/reference";

/** Where a request is meant to go. The router only reads its head, and checks nothing: its cell does. */
export type Aim =
  /** To the cell that `Hermod-Cell` or the path names. */
  | Readonly<{ kind: "place"; place: string }>
  /** Of this router. */
  | Readonly<{ kind: "health"; status: "live" | "ready" }>
  /** To any cell: its path is not of the API. The steps of a sign-in go to the same one, which remembers its codes. */
  | Readonly<{ kind: "any"; isSignIn: boolean }>
  /** Nowhere: the request has no token. */
  | Readonly<{ kind: "stranger" }>
  /** Nowhere: it concerns one cell, and names none. */
  | Readonly<{ kind: "unplaced" }>
  /** To a new account's cell, unless an account with this name is somewhere already. */
  | Readonly<{ kind: "new"; accounts: readonly CellReference[] }>
  /** To the first known account of these, or else to the cell of the token. Null if only the token names one. */
  | Readonly<{ kind: "known"; accounts: readonly CellReference[] | null; token: CellReference }>
  /** To the cell of the token, or any if all have it. */
  | Readonly<{ kind: "token"; token: CellReference }>
  /** To the cell of the token, or any if all have it, which finds the account in the body. */
  | Readonly<{ kind: "body"; token: CellReference }>
  /** To all cells, if one of them has the token. */
  | Readonly<{ kind: "merged" | "summed" | "found"; token: CellReference }>
  | Readonly<{ kind: "cells" }>;

type SpreadDocument = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Readonly<{ "x-hermod-cells"?: CellSpread }>>>>>;
}>;

// The document has what each operation declares. An import would have the compiler make a type of it, of 700 KB.
const { paths }: SpreadDocument = require("../client/openapi.json");
const SPREADS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { "x-hermod-cells": spread }]) =>
    spread === undefined ? [] : [{ method: method.toUpperCase(), segments: path.split("/"), spread }],
  ),
);

const HEALTH = ["live", "ready"] as const;
const ACCOUNTS = "/v1/admin/accounts";
const CELLS = "/v1/admin/cells/";
const OF_ALL: readonly (CellSpread | null)[] = ["merged", "summed", "found", "placed", "cells"];
const SIGN_IN = "/console/oidc/";

export function aimOf(request: Request, cookie: SessionCookie): Aim {
  const { method } = request;
  const { pathname } = new URL(request.url);
  const health = HEALTH.find((status) => pathname === `/health/${status}`);
  if (health) {
    refuseUnknownParameters(request.url, []);
    return { kind: "health", status: health };
  }
  if (!pathname.startsWith("/v1/") || method === "OPTIONS")
    return { kind: "any", isSignIn: pathname.startsWith(SIGN_IN) };
  const token = addresseeOfToken(tokenOf(request, cookie));
  return token === null ? { kind: "stranger" } : aimOfOperation(request, pathname, token);
}

function aimOfOperation(request: Request, pathname: string, token: CellReference): Aim {
  const spread = spreadOf(request.method, pathname);
  if (spread === "token") return { kind: "token", token };
  if (spread === "cells") return { kind: "cells" };
  const place = request.headers.get(CELL_HEADER) ?? cellIn(pathname);
  if (place !== null && !(spread === "placed" && place.endsWith("*"))) return { kind: "place", place };
  switch (spread) {
    case "merged":
    case "summed":
    case "found": {
      const accounts = accountsFilteredBy(request);
      return accounts === null ? { kind: spread, token } : { kind: "known", accounts, token };
    }
    case "placed":
      return { kind: "new", accounts: accountsNamedIn(request) ?? [] };
    default: {
      const accounts = accountsNamedIn(request);
      if (accounts !== null) return { kind: "known", accounts, token };
      if (spread === "one") return { kind: "unplaced" };
      return spread === "body" ? { kind: "body", token } : { kind: "known", accounts, token };
    }
  }
}

/** True for a request under /v1. */
export function isOfApi({ kind }: Aim): boolean {
  return kind !== "health" && kind !== "any";
}

/**
 * True if `Hermod-Account` says what a request concerns. Other requests name their accounts in the path or the query, or concern
 * all: the cells that they go to may lack the account of the header.
 */
export function isActing({ method, url }: Request): boolean {
  const { pathname } = new URL(url);
  const spread = spreadOf(method, pathname);
  return !OF_ALL.includes(spread) && !pathname.startsWith(`${ACCOUNTS}/`);
}

/** Returns the cell that a path names; null if it names none. */
function cellIn(pathname: string): string | null {
  return pathname.startsWith(CELLS) ? pathname.slice(CELLS.length) : null;
}

/** Returns how an operation spreads over the cells; null for one that concerns one account, and for unknown paths. */
export function spreadOf(method: string, pathname: string): CellSpread | null {
  const given = pathname.split("/");
  const asked = method === "HEAD" ? "GET" : method;
  const found = SPREADS.find(
    (each) =>
      each.method === asked &&
      each.segments.length === given.length &&
      each.segments.every((segment, i) => segment.startsWith("{") || segment === given[i]),
  );
  return found?.spread ?? null;
}
