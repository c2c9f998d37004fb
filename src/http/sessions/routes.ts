import { Elysia } from "elysia";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import type { PrincipalSession } from "../../accounts/authentication/principal";
import { csrfTokenOf } from "../../sessions/session-token";
import { SESSION, type Sessions } from "../../sessions/sessions";
import { ACCOUNT_HEADER } from "../acting";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { badRequest, forbidden, notFound } from "../errors";
import type { Guard } from "../guard";
import { isFromOwnPage, type SessionCookie } from "./cookie";
import { viewOfSession } from "./model";
import * as operations from "./operations";

export type SessionOptions = {
  sessions: Sessions;
  cookie: SessionCookie;
  authenticator: Pick<Authenticator, "forget">;
};

/** /sessions */
export function sessionRoutes(guard: Guard, options: SessionOptions) {
  const { sessions, cookie, authenticator } = options;
  return new Elysia({ prefix: "/sessions" })
    .use(guard)
    .post("", async ({ call, request }) => begin(options, call, request), { ...operations.begin })
    .get("", async ({ call }) => answer(call.allowance, 200, viewOfSession(sessionOf(call))), {
      ...operations.get,
    })
    .delete(
      "",
      async ({ call, request }) => {
        await sessions.end(sessionOf(call).id);
        authenticator.forget();
        const response = answer(call.allowance, 200, DELETED);
        response.headers.append("set-cookie", cookie.remove(request));
        return response;
      },
      { ...operations.end },
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
  const response = answer(allowance, 201, viewOfSession({ id, csrfToken: csrfTokenOf(token), endsAt }));
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
