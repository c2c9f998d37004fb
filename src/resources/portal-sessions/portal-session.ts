import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "../../api/lists/instant";
import { mapOf, named, nullable, optional, request, text, timestamp, words } from "../../api/openapi/schema";
import { MAX_PATTERNS, PATTERN } from "../../domain/event-filter";
import { toText } from "../../domain/ids";
import { EVENT_MAX_LENGTH } from "../../domain/names";
import { CAPABILITIES, CAPABILITY_ALIASES, type Capability, PORTAL, type Portal } from "../../domain/portal";

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as Capability[];
const ALIASES = Object.keys(CAPABILITY_ALIASES) as (keyof typeof CAPABILITY_ALIASES)[];

/** Fields of a theme. */
const THEME = ["accent", "accent_dark", "on_accent", "background", "font", "radius", "mode"] as const;
const value = optional(text({ minLength: 1, maxLength: 128 }));

export const CreatePortalSession = request(
  "CreatePortalSession",
  Type.Object({
    account: optional(
      text({
        minLength: 1,
        maxLength: 256,
        description:
          "The account's id or external id. A `~` at the start is ignored if no account has the external id as written. " +
          "Another account than the key's own needs the permission `accounts:act`.",
      }),
    ),
    capabilities: Type.Array(words("RequestedCapability", [...CAPABILITY_NAMES, ...ALIASES]), {
      minItems: 1,
      maxItems: 8,
      description:
        "What the session may do: see endpoints and deliveries, change endpoints, retry and resend, see payloads and answers, " +
        "send test events. Without `view_payloads` it comes by no payload: it creates no endpoint, changes no scheme, host or port of " +
        "a URL, widens no filter (with `event_types`: not beyond them), and resends nothing that was meant for another origin. " +
        "`endpoints` and `payloads` are short for `manage_endpoints` and `view_payloads`.",
    }),
    endpoint_ids: optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: PORTAL.endpoints,
        description: "The endpoints that the session sees. Default: all of the account's.",
      }),
    ),
    event_types: optional(
      Type.Array(text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, pattern: PATTERN }), {
        minItems: 1,
        maxItems: MAX_PATTERNS,
        description:
          "An upper bound, as patterns like those of an endpoint's `event_types`: the session can't let an endpoint get other event " +
          "types, and sees, searches and resends no payloads of others. Default: all.",
      }),
    ),
    ttl: optional(
      Type.Integer({
        minimum: PORTAL.leastSeconds,
        maximum: PORTAL.mostSeconds,
        description: `The duration of the session from its opening, in seconds. Default: ${PORTAL.mostSeconds}.`,
      }),
    ),
    origin: optional(
      text({
        minLength: 1,
        maxLength: 256,
        description: "The origin of the page that embeds the portal, one of `HERMOD_PORTAL_ORIGINS`.",
      }),
    ),
    locale: optional(text({ minLength: 1, maxLength: 35 })),
    product_name: optional(text({ minLength: 1, maxLength: 128 })),
    theme: Type.Optional(
      request("PortalTheme", nullable(Type.Object(Object.fromEntries(THEME.map((name) => [name, value]))))),
    ),
  }),
);

export const PortalLinkModel = named(
  "PortalLink",
  Type.Object({
    id: Type.String({ description: "The session's id, begins with `ses_`." }),
    account_id: Type.String({ description: "The account that it leads to; begins with `acc_`." }),
    url: Type.String({
      description: "Open it once, in the customer's browser. The token is in the fragment.",
    }),
    expires_at: timestamp("When the link can't be opened any more."),
  }),
);

export const OpenPortalSession = request(
  "PortalOpening",
  Type.Object({ embedded: optional(Type.Boolean()) }),
);

export const PortalSessionModel = named(
  "PortalSession",
  Type.Object({
    id: Type.String(),
    token: nullable(
      Type.String({
        description:
          "Only when an embedded page opens its session: the page keeps it in memory and sends it as a bearer token.",
      }),
    ),
    csrf_token: nullable(
      Type.String({ description: "Send it as `x-hermod-csrf` with each change by the cookie." }),
    ),
    expires_at: timestamp(),
    account_id: Type.String(),
    capabilities: Type.Array(words("Capability", CAPABILITY_NAMES)),
    endpoint_ids: nullable(
      Type.Array(Type.String(), { description: "Null for all endpoints of the account." }),
    ),
    event_types: nullable(
      Type.Array(Type.String(), { description: "The bound of the link. Null for all event types." }),
    ),
    origin: nullable(Type.String()),
    locale: nullable(Type.String()),
    product_name: nullable(Type.String()),
    theme: nullable(mapOf(Type.String(), "As it was given.")),
  }),
);

export type PortalSessionView = Static<typeof PortalSessionModel>;

export function viewOfPortal({ capabilities, endpointIds, eventTypes, origin, look }: Portal) {
  return {
    capabilities: [...capabilities],
    endpoint_ids: endpointIds === null ? null : endpointIds.map((id) => toText("ep", id)),
    event_types: eventTypes && [...eventTypes],
    origin,
    locale: look.locale,
    product_name: look.productName,
    theme: look.theme,
  };
}

export const PORTAL_LINK_EXAMPLE = {
  id: "ses_01k9x3t1m4e6bt7m9n2p4r6s8w",
  account_id: "acc_01k9x3s0k2c4bt6m8n1p3r5s7x",
  url: "https://hooks.example.com/portal#token=hml_3f9c…",
  expires_at: "2026-01-31T12:01:00.000Z",
} satisfies Static<typeof PortalLinkModel>;

export const PORTAL_SESSION_EXAMPLE = {
  id: PORTAL_LINK_EXAMPLE.id,
  token: null,
  csrf_token: "8mCqYw0G2c1Vd3tq0Q7n5B4xk2J9fLhZr6sT1uWvXyA",
  expires_at: formatInstant(Date.UTC(2026, 0, 31, 13)),
  account_id: "acc_01k9x3s0k2c4bt6m8n1p3r5s7x",
  capabilities: ["view", "retry"],
  endpoint_ids: null,
  event_types: null,
  origin: null,
  locale: "en",
  product_name: "Acme",
  theme: { accent: "#0a7" },
} satisfies PortalSessionView;
