import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import { DEFAULT_ACCOUNT } from "../../accounts/account";
import type { FailureLimit } from "../../api/edge/failure-limit";
import { requestIdOf } from "../../api/edge/request-head";
import { tooManyRequests } from "../../api/errors";
import { basePathOf, type OwnUrl, ownUrl } from "../../api/own-url";
import type { SessionCookie } from "../../api/session-cookie";
import type { AuditLog } from "../../audit/audit-log";
import { toText } from "../../domain/ids";
import type { Person } from "../../domain/role";
import { CALLBACK, type IdentityProvider, type SignInSecrets } from "../../oidc/identity-provider";
import { failed, type SignInRefusal } from "../../oidc/sign-in-refusal";
import type { Clock } from "../../runtime/clock";
import type { Log } from "../../runtime/log";
import type { NewSession, Sessions } from "../../sessions/sessions";

/**
 * A sign-in that a browser began. Only its cookie has `secret`, from which all unguessable values are derived. It begins with its
 * time: with another time the derived values would be others, which the provider's answer does not have.
 */
export type BegunSignIn = Readonly<{ secret: string; returnTo: string }>;

/** Most seconds that a person may take at the provider. */
export const SIGN_IN_SECONDS = 600;

const CONSOLE = "/console";
const MAX_RETURN = 1_024;
const SECRET = /^(\d{10})[A-Za-z0-9_-]{43}$/;

/** Begins a sign-in at a time, in Unix milliseconds. */
export function newSignIn(returnTo: string | null, now: number): BegunSignIn {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return { secret: `${Math.floor(now / 1_000)}${random}`, returnTo: consolePath(returnTo) };
}

export function encodeSignIn({ secret, returnTo }: BegunSignIn): string {
  return `${secret}.${Buffer.from(returnTo).toString("base64url")}`;
}

/** Returns null for a text that is no cookie of a sign-in, and for a sign-in that began too long ago. */
export function decodeSignIn(text: string | null, now: number): BegunSignIn | null {
  const [secret = "", path = ""] = text?.split(".") ?? [];
  const begunAt = Number(SECRET.exec(secret)?.[1] ?? 0);
  if (now / 1_000 - begunAt > SIGN_IN_SECONDS) return null;
  return { secret, returnTo: consolePath(Buffer.from(path, "base64url").toString()) };
}

/** Derives the values for the provider, so that no process must store a sign-in. */
export function secretsOf({ secret }: BegunSignIn): SignInSecrets {
  const derive = (purpose: string) => createHash("sha256").update(`${purpose} ${secret}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") };
}

/** Returns the id under which a sign-in is remembered once it has been used. */
export function idOfSignIn({ secret }: BegunSignIn): Buffer {
  return createHash("sha256").update(`used ${secret}`).digest();
}

/** Returns the path and query of a console page, without an earlier error; the first page for other paths. */
function consolePath(path: string | null): string {
  const url = path !== null && path.length <= MAX_RETURN ? URL.parse(path, "http://hermod") : null;
  if (!url || !`${url.pathname}/`.startsWith(`${CONSOLE}/`)) return CONSOLE;
  url.searchParams.delete("error");
  return url.pathname + url.search;
}

/** The sign-in page shows the provider's words for this long. */
export const SAID_SECONDS = 300;

export type OidcOptions = {
  config: OwnUrl;
  identityProvider: IdentityProvider;
  sessions: Pick<Sessions, "beginForPerson">;
  auditLog: Pick<AuditLog, "write">;
  cookie: SessionCookie;
  failedSignIns: FailureLimit;
  clock: Pick<Clock, "now">;
  addressOf(request: Request): string;
  log: Log;
};

/** The reason of a failed sign-in, for the console's page. */
type Problem = SignInRefusal["kind"] | "expired";

/** Signs people in to the console with an identity provider. */
export function oidcRoutes(options: OidcOptions) {
  return new Elysia({ name: "oidc" })
    .get("/console/oidc/start", async ({ request }) => start(options, request))
    .get(CALLBACK, async ({ request }) => finish(options, request));
}

async function start(options: OidcOptions, request: Request): Promise<Response> {
  const { identityProvider, cookie, config, clock } = options;
  refuseTooMany(options, request);
  const signIn = newSignIn(queryOf(request).get("return"), clock.now());
  const begun = await identityProvider.begin(ownUrl(config, request) + CALLBACK, secretsOf(signIn));
  if ("refusal" in begun) return refuse(options, request, signIn, begun.refusal);
  return redirectTo(begun.ok.href, [cookie.set(request, encodeSignIn(signIn), SIGN_IN_SECONDS, "oidc")]);
}

/** Handles the request with which the provider sends the browser back. */
async function finish(options: OidcOptions, request: Request): Promise<Response> {
  const { identityProvider, sessions, cookie, config, clock } = options;
  refuseTooMany(options, request);
  const signIn = decodeSignIn(cookie.valueIn(request, "oidc"), clock.now());
  if (signIn === null) return problemPage(options, request, newSignIn(null, clock.now()), "expired");
  const answer = new URL(`${ownUrl(config, request)}${CALLBACK}?${queryOf(request)}`);
  const finished = await identityProvider.finish(answer, secretsOf(signIn));
  if ("refusal" in finished) return refuse(options, request, signIn, finished.refusal);
  const { sessionSeconds } = identityProvider;
  const session = await sessions.beginForPerson(finished.ok, sessionSeconds, idOfSignIn(signIn));
  if (session === null) return refuse(options, request, signIn, failed("the sign-in was used before"));
  await auditSignIn(options, request, finished.ok, session);
  return redirectTo(basePathOf(config) + signIn.returnTo, [
    cookie.set(request, session.token, sessionSeconds),
    cookie.remove(request, "oidc"),
  ]);
}

/** Reads the query. A request without a Host has a URL without an origin. */
function queryOf({ url }: Request): URLSearchParams {
  return new URL(url, "http://hermod").searchParams;
}

function refuse(
  options: OidcOptions,
  request: Request,
  signIn: BegunSignIn,
  { kind, detail, said }: SignInRefusal,
): Response {
  const facts = { reason: kind, detail, request_id: requestIdOf(request) };
  options.log.warn(facts, "could not sign a person in with the identity provider");
  return problemPage(options, request, signIn, kind, said);
}

/**
 * Redirects to the sign-in page, which shows the problem and its remedy. The provider's words go in a cookie: in the URL anybody
 * could make a link that has Hermod show them.
 */
function problemPage(
  { cookie, config, failedSignIns, addressOf }: OidcOptions,
  request: Request,
  { returnTo }: BegunSignIn,
  problem: Problem,
  said: string | null = null,
): Response {
  failedSignIns.count(addressOf(request));
  const page = `${basePathOf(config)}${returnTo}${returnTo.includes("?") ? "&" : "?"}error=oidc_${problem}`;
  const words =
    said === null
      ? cookie.remove(request, "oidcSaid")
      : cookie.set(request, encodeURIComponent(said), SAID_SECONDS, "oidcSaid");
  return redirectTo(page, [cookie.remove(request, "oidc"), words]);
}

function refuseTooMany({ failedSignIns, addressOf }: OidcOptions, request: Request): void {
  const wait = failedSignIns.waitOf(addressOf(request));
  if (wait !== null) throw tooManyRequests("Too many failed sign-ins", wait);
}

async function auditSignIn(
  { auditLog }: OidcOptions,
  request: Request,
  { subject, name, role }: Person,
  { id }: NewSession,
): Promise<void> {
  await auditLog.write({
    accountId: DEFAULT_ACCOUNT,
    operation: "createSession",
    target: toText("ses", id),
    actorKind: "person",
    keyId: null,
    actorName: name,
    sessionId: id,
    requestId: requestIdOf(request),
    before: null,
    after: { subject, role },
  });
}

function redirectTo(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    location,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  for (const each of cookies) headers.append("set-cookie", each);
  return new Response(null, { status: 303, headers });
}
