import type { PrincipalSession } from "../accounts/authentication/principal";
import { isSameText, kindOfToken } from "../accounts/authentication/session-token";
import { type ApiError, forbidden } from "./errors";

/** Browsers accept a cookie with this prefix only if it is `Secure`, for the whole host, and of this host (RFC 6265bis). */
const HOST_PREFIX = "__Host-";
/** The same without the condition that it is for the whole host. Below a path, other services of the host must not get it. */
const SECURE_PREFIX = "__Secure-";
/**
 * Names of the cookies. `oidc` is for a sign-in that the identity provider has not answered yet, `oidcSaid` for the provider's words
 * about a refused one, which the sign-in page reads.
 */
const NAMES = {
  console: "hermod",
  portal: "hermod-portal",
  oidc: "hermod-oidc",
  oidcSaid: "hermod-oidc-said",
};
type CookieKind = keyof typeof NAMES;
/** Matches hosts of this machine, and captures the port. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d+))?$/i;

/** The header that pages of the portal send. */
export const PORTAL_HEADER = "x-hermod-portal";
export const CSRF_HEADER = "x-hermod-csrf";
const SITE_HEADER = "sec-fetch-site";

/**
 * The cookie with a session's token. Some browsers refuse `Secure` cookies over http even on localhost, so outside production the
 * cookie of a loopback host lacks `Secure` and the prefix. Its name has the port, since browsers share cookies between the ports
 * of a host.
 */
export class SessionCookie {
  private readonly prefix: string;

  constructor(
    private readonly production: boolean,
    /** The path below which browsers reach the service; empty at the root. */
    private readonly basePath = "",
  ) {
    this.prefix = basePath === "" ? HOST_PREFIX : SECURE_PREFIX;
  }

  /** Returns the token in a request's cookie, which is the portal's cookie if a page of the portal sent it. */
  tokenIn(request: Request): string | null {
    const { headers } = request;
    const kind = headers.has(PORTAL_HEADER) ? "portal" : "console";
    const token = this.valueIn(request, kind);
    return token !== null && kindOfToken(token) === kind ? token : null;
  }

  valueIn({ headers }: Request, kind: CookieKind): string | null {
    const start = `${this.nameFor(headers, kind)}=`;
    const cookies = headers.get("cookie")?.split(/; ?/) ?? [];
    return cookies.find((each) => each.startsWith(start))?.slice(start.length) ?? null;
  }

  /** Returns the `Set-Cookie` that removes the token. */
  remove(request: Request, kind?: CookieKind): string {
    return this.set(request, "", 0, kind);
  }

  /** Returns the `Set-Cookie` that gives the browser a token. */
  set({ headers }: Request, token: string, seconds: number, kind: CookieKind = "console"): string {
    const name = this.nameFor(headers, kind);
    const secure = name.startsWith(this.prefix) ? "; Secure" : "";
    // `Lax`, because the browser comes back from the provider's page. The other cookies are not sent then.
    const site = kind === "oidc" ? "Lax" : "Strict";
    const hidden = kind === "oidcSaid" ? "" : "; HttpOnly";
    return `${name}=${token}; Max-Age=${seconds}; Path=${this.basePath || "/"}${hidden}; SameSite=${site}${secure}`;
  }

  private nameFor(headers: Headers, kind: CookieKind): string {
    const loopback = this.production ? null : LOOPBACK.exec(headers.get("host") ?? "");
    return loopback ? `${NAMES[kind]}-${loopback[1] ?? "80"}` : this.prefix + NAMES[kind];
  }
}

/**
 * Returns the 403 for a request that a page of another site may have caused. A change needs the CSRF token, which only the
 * session's own pages can read, and a `Sec-Fetch-Site` of `same-origin`.
 */
export function refusalOfForgery(
  { method, headers }: Request,
  { kind, csrfToken }: PrincipalSession,
): ApiError | null {
  const site = headers.get(SITE_HEADER);
  if (method === "GET" || method === "HEAD") {
    const isOwn = site === null || site === "none" || site === "same-origin";
    return isOwn ? null : forbidden("A session works for Hermod's own pages only");
  }
  if (!isFromOwnPage(headers)) return forbidden("Changes need Sec-Fetch-Site: same-origin");
  const given = headers.get(CSRF_HEADER);
  if (given !== null && isSameText(given, csrfToken)) return null;
  const path = kind === "portal" ? "/v1/portal-sessions" : "/v1/sessions";
  return forbidden(`Changes need the header ${CSRF_HEADER} with the csrf_token of GET ${path}`);
}

/** True if the browser reports that a page of this origin made the request, which it does over https or on localhost. */
export function isFromOwnPage(headers: Headers): boolean {
  return headers.get(SITE_HEADER) === "same-origin";
}

const BEARER = /^bearer +(\S+) *$/i;

/** Returns the token of the Authorization header, or else of a cookie. A console session's token may only be in a cookie. */
export function tokenOf(request: Request, cookie: SessionCookie): string | null {
  const header = request.headers.get("authorization");
  if (header === null) return cookie.tokenIn(request);
  const token = BEARER.exec(header)?.[1] ?? null;
  return token === null || kindOfToken(token) === "console" ? null : token;
}
