import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import { onlyKey, type Principal, type PrincipalSession } from "../../accounts/authentication/principal";
import { csrfTokenOf } from "../../accounts/authentication/session-token";
import { refuseAnyCell } from "../../api/acting";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import { badRequest, forbidden, notFound, unauthorized } from "../../api/errors";
import { mayNameAccount, unknownAccount } from "../../api/external-ids";
import type { Guard } from "../../api/guard";
import { readEndpointId, unknownEndpoint } from "../../api/ids";
import { formatInstant } from "../../api/lists/instant";
import { operation } from "../../api/openapi/operation";
import { type OwnUrl, ownUrl } from "../../api/own-url";
import { created, type Posting } from "../../api/posting";
import { isFromOwnPage, type SessionCookie } from "../../api/session-cookie";
import { type EventFilter, parseEventTypes } from "../../domain/event-filter";
import { type AccountId, type EndpointId, toText } from "../../domain/ids";
import { CAPABILITIES, CAPABILITY_ALIASES, type Capability, PORTAL, type Portal } from "../../domain/portal";
import type { Endpoints } from "../../endpoints/endpoint";
import type { PortalSessions } from "../../sessions/portal-sessions";
import type { Sessions } from "../../sessions/sessions";
import {
  CreatePortalSession,
  OpenPortalSession,
  PORTAL_LINK_EXAMPLE,
  PORTAL_SESSION_EXAMPLE,
  PortalLinkModel,
  PortalSessionModel,
  type PortalSessionView,
  viewOfPortal,
} from "./portal-session";

export type PortalSessionOptions = {
  config: OwnUrl & { portalOrigins: readonly string[] };
  portalSessions: PortalSessions;
  sessions: Pick<Sessions, "end">;
  cookie: SessionCookie;
  authenticator: Pick<Authenticator, "forget" | "actFor">;
  endpoints: Pick<Endpoints, "some">;
  posting: Posting;
};

/** /portal-sessions */
export function portalSessionRoutes(guard: Guard, options: PortalSessionOptions) {
  const { sessions, authenticator, cookie } = options;
  const tag = "Account";
  const session = { schema: PortalSessionModel, example: PORTAL_SESSION_EXAMPLE };
  return new Elysia({ prefix: "/portal-sessions" })
    .use(guard)
    .post(
      "",
      ({ call, request, body }) => create(options, call, request, body),
      operation({
        id: "createPortalSession",
        cells: "body",
        permission: "endpoints:write",
        audit: { shows: ["account", "capabilities", "endpoint_ids", "ttl", "origin"] },
        tag,
        summary: "Make a link to the customer portal",
        description:
          `The link can be opened once, within ${PORTAL.linkSeconds} seconds. It then is a session with these \`capabilities\` and no ` +
          "others. No session can send webhooks. The key needs the permissions that the capabilities need, and the session ends " +
          `within five seconds of the key. A session's requests have their own limit, ${PORTAL.requestsPerMinute} a minute for all ` +
          "sessions of an account, so they never count against sends. A JWT can't make links.",
        body: {
          schema: CreatePortalSession,
          example: { account: "shop-42", capabilities: ["view", "retry"], ttl: 1_800 },
        },
        success: {
          status: 201,
          description: "The link.",
          schema: PortalLinkModel,
          example: PORTAL_LINK_EXAMPLE,
        },
      }),
    )
    .post(
      "/exchange",
      ({ call, request, body }) => open(options, call, request, body.embedded ?? false),
      operation({
        id: "openPortalSession",
        sdk: null,
        permission: null,
        isSignIn: true,
        takesKey: false,
        audit: { shows: [] },
        tag,
        summary: "Open a portal session",
        description:
          "For the portal's own page. Send the token of the link as `Authorization: Bearer`; the link then stops working. An embedded " +
          "page gets a token to keep in memory; otherwise the session is a cookie, which needs the header `x-hermod-portal: 1`.",
        body: { schema: OpenPortalSession, example: { embedded: false }, isOptional: true },
        success: { status: 201, description: "The session.", ...session },
      }),
    )
    .get(
      "",
      ({ call }) => {
        const found = portalSessionOf(call);
        return answer(call.allowance, 200, viewOf(call.principal.accountId, found, found.portal));
      },
      operation({
        id: "getPortalSession",
        sdk: null,
        permission: null,
        portal: { needs: null, concerns: "itself" },
        tag,
        summary: "Get the portal session of this request",
        success: { status: 200, description: "The session.", ...session },
        errors: [404],
      }),
    )
    .delete(
      "",
      async ({ call, request }) => {
        await sessions.end(portalSessionOf(call).id);
        authenticator.forget();
        const response = answer(call.allowance, 200, DELETED);
        response.headers.append("set-cookie", cookie.remove(request, "portal"));
        return response;
      },
      operation({
        id: "deletePortalSession",
        sdk: null,
        permission: null,
        portal: { needs: null, concerns: "itself" },
        audit: { shows: [] },
        tag,
        summary: "End the portal session of this request",
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

async function create(
  options: PortalSessionOptions,
  call: Call,
  request: Request,
  body: Static<typeof CreatePortalSession>,
): Promise<Response> {
  const { posting, portalSessions, config } = options;
  const { principal } = call;
  const { keyId } = principal;
  if (keyId === null) throw forbidden(`${onlyKey(principal)} can make a portal session, which ends with it`);
  const accountId = await accountOf(options, principal, body.account ?? null);
  refuseAnyCell(request, accountId);
  const portal = await portalOf(options, principal, accountId, body);
  const base = ownUrl(config, request);
  return posting.handleSecret(call, request, () => async (sql) => {
    const { id, token, endsAt } = await portalSessions.makeLink(sql, keyId, accountId, portal);
    const url = `${base}/portal#token=${token}`;
    return created({
      id: toText("ses", id),
      account_id: toText("acc", accountId),
      url,
      expires_at: formatInstant(endsAt),
    });
  });
}

async function accountOf(
  { authenticator }: PortalSessionOptions,
  principal: Principal,
  reference: string | null,
): Promise<AccountId> {
  if (reference === null || reference === toText("acc", principal.accountId)) return principal.accountId;
  if (!principal.permissions.has("accounts:act"))
    throw forbidden("account needs the permission accounts:act");
  const acting = mayNameAccount(reference) ? await authenticator.actFor(principal, reference) : null;
  if (acting === null) throw unknownAccount("account", reference);
  return acting.accountId;
}

async function portalOf(
  { config, endpoints }: PortalSessionOptions,
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

async function open(
  { portalSessions, cookie }: PortalSessionOptions,
  call: Call,
  request: Request,
  isEmbedded: boolean,
): Promise<Response> {
  const { session } = call.principal;
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
  if (isEmbedded) return answer(call.allowance, 201, { ...view, token, csrf_token: null });
  const response = answer(call.allowance, 201, view);
  response.headers.append("set-cookie", cookie.set(request, token, session.portal.seconds, "portal"));
  return response;
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
