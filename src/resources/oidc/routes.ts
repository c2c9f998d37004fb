import { Elysia } from "elysia";
import { DEFAULT_ACCOUNT } from "../../accounts/account";
import type { FailureLimit } from "../../api/edge/failure-limit";
import { requestIdOf } from "../../api/edge/request-head";
import { tooManyRequests } from "../../api/errors";
import { type OwnUrl, ownUrl } from "../../api/own-url";
import type { SessionCookie } from "../../api/session-cookie";
import type { AuditLog } from "../../audit/audit-log";
import { toText } from "../../domain/ids";
import type { Person } from "../../domain/role";
import { CALLBACK, type IdentityProvider } from "../../oidc/identity-provider";
import { failed, type SignInRefusal } from "../../oidc/sign-in-refusal";
import type { Clock } from "../../runtime/clock";
import type { Log } from "../../runtime/log";
import type { NewSession, Sessions } from "../../sessions/sessions";
import {
  type BegunSignIn,
  decodeSignIn,
  encodeSignIn,
  idOfSignIn,
  newSignIn,
  SIGN_IN_SECONDS,
  secretsOf,
} from "./sign-in-cookie";

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
  return redirectTo(signIn.returnTo, [
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
  { cookie, failedSignIns, addressOf }: OidcOptions,
  request: Request,
  { returnTo }: BegunSignIn,
  problem: Problem,
  said: string | null = null,
): Response {
  failedSignIns.count(addressOf(request));
  const page = `${returnTo}${returnTo.includes("?") ? "&" : "?"}error=oidc_${problem}`;
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
