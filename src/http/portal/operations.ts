import { PORTAL } from "../../sessions/portal";
import { DELETED_ANSWER } from "../deletion";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { CreatePortalSession, OpenPortalSession, PORTAL_LINK_EXAMPLE, PORTAL_SESSION_EXAMPLE } from "./model";

const tag = "Account";
const session = { schema: ref("PortalSession"), example: PORTAL_SESSION_EXAMPLE };

export const create = operation({
  audit: { shows: ["capabilities", "endpoint_ids", "ttl", "origin"] },
  id: "createPortalSession",
  permission: "endpoints:write",
  tag,
  summary: "Make a link to the customer portal",
  description:
    `The link can be opened once, within ${PORTAL.linkSeconds} seconds. It then is a session with these \`capabilities\` and no ` +
    "others. No session can send webhooks. The key needs the permissions that the capabilities need, and the session ends " +
    `within five seconds of the key. A session's requests have their own limit, ${PORTAL.requestsPerMinute} a minute for all ` +
    "sessions of an account, so they never count against sends. A JWT can't make links.",
  body: {
    schema: CreatePortalSession,
    isRaw: true,
    example: { account: "shop-42", capabilities: ["view", "retry"], ttl: 1_800 },
  },
  success: { status: 201, description: "The link.", schema: ref("PortalLink"), example: PORTAL_LINK_EXAMPLE },
});

export const open = operation({
  audit: { shows: [] },
  id: "openPortalSession",
  permission: null,
  isSignIn: true,
  takesKey: false,
  tag,
  summary: "Open a portal session",
  description:
    "For the portal's own page. Send the token of the link as `Authorization: Bearer`; the link then stops working. An embedded " +
    "page gets a token to keep in memory; otherwise the session is a cookie, which needs the header `x-hermod-portal: 1`.",
  body: { schema: OpenPortalSession, isRaw: true, example: { embedded: false }, isOptional: true },
  success: { status: 201, description: "The session.", ...session },
});

export const get = operation({
  id: "getPortalSession",
  permission: null,
  tag,
  summary: "Get the portal session of this request",
  success: { status: 200, description: "The session.", ...session },
  errors: [404],
});

export const end = operation({
  audit: { shows: [] },
  id: "deletePortalSession",
  permission: null,
  tag,
  summary: "End the portal session of this request",
  success: DELETED_ANSWER,
  errors: [404],
});
