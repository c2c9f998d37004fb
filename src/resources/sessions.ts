import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Authenticator } from "../accounts/authentication/authenticator";
import type { PrincipalSession } from "../accounts/authentication/principal";
import { SESSION } from "../accounts/authentication/session-lookup";
import { csrfTokenOf } from "../accounts/authentication/session-token";
import { ACCOUNT_HEADER } from "../api/acting";
import { answer } from "../api/answer";
import type { Call } from "../api/call";
import { DELETED, DELETED_ANSWER } from "../api/deletion";
import { FAILED_SIGN_INS_PER_MINUTE } from "../api/edge/failure-limit";
import { badRequest, forbidden, notFound } from "../api/errors";
import type { Guard } from "../api/guard";
import { formatInstant } from "../api/lists/instant";
import { operation } from "../api/openapi/operation";
import { named, timestamp } from "../api/openapi/schema";
import { CSRF_HEADER, isFromOwnPage, type SessionCookie } from "../api/session-cookie";
import { toText } from "../domain/ids";
import { SESSIONS_PER_KEY, type Sessions } from "../sessions/sessions";

const SessionModel = named(
  "Session",
  Type.Object({
    id: Type.String({ description: "Begins with `ses_`." }),
    csrf_token: Type.String({ description: `Send it as \`${CSRF_HEADER}\` with each change.` }),
    expires_at: timestamp("When the session ends at the latest."),
  }),
);

type SessionView = Static<typeof SessionModel>;

const EXAMPLE = {
  id: "ses_01k9x3t1m4e6bt7m9n2p4r6s8w",
  csrf_token: "8mCqYw0G2c1Vd3tq0Q7n5B4xk2J9fLhZr6sT1uWvXyA",
  expires_at: "2026-01-31T12:00:00.000Z",
} satisfies SessionView;

export type SessionOptions = {
  sessions: Sessions;
  cookie: SessionCookie;
  authenticator: Pick<Authenticator, "forget">;
};

/** /sessions */
export function sessionRoutes(guard: Guard, options: SessionOptions) {
  const { sessions, cookie, authenticator } = options;
  const tag = "Account";
  const session = { schema: SessionModel, example: EXAMPLE };
  return new Elysia({ prefix: "/sessions" })
    .use(guard)
    .post(
      "",
      ({ call, request }) => begin(options, call, request),
      operation({
        id: "createSession",
        sdk: null,
        permission: null,
        cells: "token",
        isSignIn: true,
        takesKey: false,
        audit: { shows: [] },
        tag,
        summary: "Begin a session in a browser",
        description:
          "For pages of this origin. Send the API key as `Authorization: Bearer`; the answer sets a cookie that works like the " +
          `key, and that no script can read. The session ends after ${SESSION.hours} hours, after ${SESSION.idleMinutes} minutes ` +
          "without a request, and within five seconds of its key. Changes by the cookie need the header " +
          `\`${CSRF_HEADER}\`, and \`Sec-Fetch-Site: same-origin\`, which browsers send over https and on localhost. A request with ` +
          `\`Authorization\` ignores the cookie. At most ${SESSIONS_PER_KEY} sessions per key: one more ends the oldest. After ` +
          `${FAILED_SIGN_INS_PER_MINUTE} failed attempts a minute, an address gets a 429.`,
        success: { status: 201, description: "The session.", ...session },
      }),
    )
    .get(
      "",
      ({ call }) => answer(call.allowance, 200, viewOf(sessionOf(call))),
      operation({
        id: "getSession",
        sdk: null,
        permission: null,
        cells: "token",
        tag,
        summary: "Get the session of this request",
        success: { status: 200, description: "The session.", ...session },
        errors: [404],
      }),
    )
    .delete(
      "",
      async ({ call, request }) => {
        await sessions.end(sessionOf(call).id);
        authenticator.forget();
        const response = answer(call.allowance, 200, DELETED);
        response.headers.append("set-cookie", cookie.remove(request));
        return response;
      },
      operation({
        id: "deleteSession",
        sdk: null,
        permission: null,
        cells: "token",
        audit: { shows: [] },
        tag,
        summary: "End the session of this request",
        description: "Takes effect everywhere within five seconds, and removes the cookie.",
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

async function begin(
  { sessions, cookie }: SessionOptions,
  { principal, allowance }: Call,
  request: Request,
): Promise<Response> {
  const { keyId, session } = principal;
  refuseUnusable(request);
  if (keyId === null || session !== null) throw forbidden("Only an API key can begin a session");
  const { id, token, endsAt } = await sessions.begin(keyId);
  const response = answer(allowance, 201, viewOf({ id, csrfToken: csrfTokenOf(token), endsAt }));
  response.headers.append("set-cookie", cookie.set(request, token, SESSION.hours * 3_600));
  return response;
}

/** Refuses headers that would be ignored, and sign-ins whose cookie the browser would not keep. */
function refuseUnusable({ headers }: Request): void {
  if (headers.has("idempotency-key")) throw badRequest("A sign-in takes no Idempotency-Key");
  if (headers.has(ACCOUNT_HEADER))
    throw badRequest(
      "A session begins in its key's account: send Hermod-Account with later requests instead",
    );
  if (!isFromOwnPage(headers))
    throw badRequest(
      "Sessions are for Hermod's own pages, over https or on localhost (Sec-Fetch-Site: same-origin)",
    );
}

function sessionOf({ principal }: Call): PrincipalSession {
  if (principal.session?.kind !== "console")
    throw notFound("This request came with a key or JWT, not with a session");
  return principal.session;
}

function viewOf({
  id,
  csrfToken,
  endsAt,
}: Pick<PrincipalSession, "id" | "csrfToken" | "endsAt">): SessionView {
  return { id: toText("ses", id), csrf_token: csrfToken, expires_at: formatInstant(endsAt) };
}
