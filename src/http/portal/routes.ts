import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import type { Principal, PrincipalSession } from "../../accounts/authentication/principal";
import { type EventFilter, parseEventTypes } from "../../domain/event-filter";
import { type AccountId, type EndpointId, toText } from "../../domain/ids";
import type { Endpoints } from "../../endpoints/endpoint";
import {
  CAPABILITIES,
  CAPABILITY_ALIASES,
  type Capability,
  PORTAL,
  type Portal,
} from "../../sessions/portal";
import type { PortalSessions } from "../../sessions/portal-sessions";
import { csrfTokenOf } from "../../sessions/session-token";
import type { Sessions } from "../../sessions/sessions";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { badRequest, forbidden, notFound, unauthorized } from "../errors";
import { mayNameAccount, unknownAccount } from "../external-ids";
import type { Guard } from "../guard";
import { readEndpointId, unknownEndpoint } from "../ids";
import { bodyReader } from "../json/json-body";
import { formatInstant } from "../lists/instant";
import { type OwnUrl, ownUrl } from "../own-url";
import { created, type Posting } from "../posting";
import { isFromOwnPage, type SessionCookie } from "../sessions/cookie";
import { CreatePortalSession, OpenPortalSession, type PortalSessionView, viewOfPortal } from "./model";
import * as operations from "./operations";

export type PortalOptions = {
  config: OwnUrl & { portalOrigins: readonly string[] };
  portalSessions: PortalSessions;
  sessions: Pick<Sessions, "end">;
  cookie: SessionCookie;
  authenticator: Pick<Authenticator, "forget" | "actFor">;
  endpoints: Pick<Endpoints, "some">;
  posting: Posting;
};

const readNew = bodyReader(CreatePortalSession);
const readOpening = bodyReader(OpenPortalSession);

/** /portal-sessions */
export function portalRoutes(guard: Guard, options: PortalOptions) {
  return new Elysia({ prefix: "/portal-sessions" })
    .use(guard)
    .post("", async ({ call, request }) => create(options, call, request), { ...operations.create })
    .post("/exchange", async ({ call, request }) => open(options, call, request), { ...operations.open })
    .get("", async ({ call }) => answer(call.allowance, 200, viewOfSession(call)), { ...operations.get })
    .delete("", async ({ call, request }) => end(options, call, request), { ...operations.end });
}

async function create(options: PortalOptions, call: Call, request: Request): Promise<Response> {
  const { posting, portalSessions, config } = options;
  const { principal } = call;
  const { keyId } = principal;
  if (keyId === null) throw forbidden("Only an API key can make a portal session, which ends with it");
  const body = readNew(call.body);
  const accountId = await accountOf(options, principal, body.account ?? null);
  const portal = await portalOf(options, principal, accountId, body);
  const base = ownUrl(config, request);
  return posting.handleSecret(call, request, () => async (sql) => {
    const { id, token, endsAt } = await portalSessions.makeLink(sql, keyId, accountId, portal);
    const url = `${base}/portal#token=${token}`;
    return created({ id: toText("ses", id), url, expires_at: formatInstant(endsAt) });
  });
}

async function accountOf(
  { authenticator }: PortalOptions,
  principal: Principal,
  reference: string | null,
): Promise<AccountId> {
  if (reference === null || reference === toText("acc", principal.accountId)) return principal.accountId;
  if (!principal.permissions.has("accounts:act"))
    throw forbidden("account needs the permission accounts:act");
  const acting = mayNameAccount(reference) ? await authenticator.actFor(principal, reference) : null;
  if (acting === null) throw unknownAccount("account");
  return acting.accountId;
}

async function portalOf(
  { config, endpoints }: PortalOptions,
  { permissions }: Principal,
  accountId: AccountId,
  body: Static<typeof CreatePortalSession>,
): Promise<Portal> {
  const capabilities = [...new Set(body.capabilities.map(capabilityOf))];
  for (const capability of capabilities) {
    const lacking = CAPABILITIES[capability].find((each) => !permissions.has(each));
    if (lacking) throw forbidden(`Your key can't grant ${capability}: it lacks the permission ${lacking}`);
  }
  const origin = body.origin ?? null;
  if (origin !== null && !config.portalOrigins.includes(origin))
    throw badRequest("origin must be one of HERMOD_PORTAL_ORIGINS");
  const endpointIds = body.endpoint_ids ? await known(endpoints, accountId, body.endpoint_ids) : null;
  const look = {
    locale: body.locale ?? null,
    theme: body.theme ? givenIn(body.theme) : null,
    productName: body.product_name ?? null,
  };
  const eventTypes = body.event_types ? patternsIn(body.event_types) : null;
  return { capabilities, endpointIds, eventTypes, origin, seconds: body.ttl ?? PORTAL.mostSeconds, look };
}

function patternsIn(patterns: readonly string[]): EventFilter {
  const parsed = parseEventTypes(patterns);
  if ("problem" in parsed) throw badRequest(`event_types ${parsed.problem}`);
  return parsed.filter;
}

function capabilityOf(name: Capability | keyof typeof CAPABILITY_ALIASES): Capability {
  return name in CAPABILITY_ALIASES
    ? CAPABILITY_ALIASES[name as keyof typeof CAPABILITY_ALIASES]
    : (name as Capability);
}

function givenIn(theme: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(theme).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

async function known(
  endpoints: Pick<Endpoints, "some">,
  accountId: AccountId,
  texts: readonly string[],
): Promise<EndpointId[]> {
  const ids = texts.map((text) => readEndpointId(text, "endpoint_ids"));
  const found = await endpoints.some(accountId, ids);
  if (found.length < new Set(ids).size) throw unknownEndpoint("endpoint_ids");
  return ids;
}

async function open(options: PortalOptions, call: Call, request: Request): Promise<Response> {
  const { portalSessions, cookie } = options;
  const { session } = call.principal;
  const { embedded } = call.body.length > 0 ? readOpening(call.body) : {};
  if (session?.kind !== "link" || session.portal === null)
    throw forbidden("Only the token of a portal link opens a portal session");
  if (!isFromOwnPage(request.headers))
    throw badRequest(
      "Portal sessions are for Hermod's own pages, over https or on localhost (Sec-Fetch-Site)",
    );
  const opened = await portalSessions.open(session.id, session.portal);
  if (opened === null)
    throw unauthorized("This portal link was already opened, or has expired: ask for a new one");
  const { token, endsAt } = opened;
  const csrfToken = csrfTokenOf(token);
  const view = viewOf(call.principal.accountId, { ...session, csrfToken, endsAt }, session.portal);
  if (embedded) return answer(call.allowance, 201, { ...view, token, csrf_token: null });
  const response = answer(call.allowance, 201, view);
  response.headers.append("set-cookie", cookie.set(request, token, session.portal.seconds, "portal"));
  return response;
}

async function end(
  { sessions, authenticator, cookie }: PortalOptions,
  call: Call,
  request: Request,
): Promise<Response> {
  await sessions.end(portalSessionOf(call).id);
  authenticator.forget();
  const response = answer(call.allowance, 200, DELETED);
  response.headers.append("set-cookie", cookie.remove(request, "portal"));
  return response;
}

function viewOfSession(call: Call): PortalSessionView {
  const session = portalSessionOf(call);
  return viewOf(call.principal.accountId, session, session.portal);
}

function viewOf(accountId: AccountId, session: PrincipalSession, portal: Portal): PortalSessionView {
  return {
    id: toText("ses", session.id),
    token: null,
    csrf_token: session.csrfToken,
    expires_at: formatInstant(session.endsAt),
    account_id: toText("acc", accountId),
    ...viewOfPortal(portal),
  };
}

function portalSessionOf({ principal: { session } }: Call): PrincipalSession & { portal: Portal } {
  if (session?.portal) return { ...session, portal: session.portal };
  throw notFound("This request came without a portal session");
}
