import type { EventFilter } from "./event-filter";
import type { EndpointId } from "./ids";
import type { Permission } from "./permission";

/** The capabilities of a portal session, each with the permissions that it needs. */
export const CAPABILITIES = {
  view: ["endpoints:read", "webhooks:read", "stats:read"],
  manage_endpoints: ["endpoints:write"],
  retry: ["webhooks:retry"],
  view_payloads: ["webhooks:read"],
  test: ["webhooks:retry"],
} as const satisfies Record<string, readonly Permission[]>;

export type Capability = keyof typeof CAPABILITIES;

/** Other names of capabilities. */
export const CAPABILITY_ALIASES = { endpoints: "manage_endpoints", payloads: "view_payloads" } as const;

/** How the pages of a portal session look. */
export type PortalLook = Readonly<{
  locale: string | null;
  theme: Readonly<Record<string, string>> | null;
  productName: string | null;
}>;

/** The scope of a portal session, fixed when the session is made. */
export type Portal = Readonly<{
  capabilities: readonly Capability[];
  /** The endpoints that it shows; null for all endpoints of the account. */
  endpointIds: readonly EndpointId[] | null;
  /** The event types that it may let endpoints get, and whose payloads it may see; null for all. */
  eventTypes: EventFilter | null;
  /** The page that embeds the portal. */
  origin: string | null;
  /** Its duration from the opening of the link. */
  seconds: number;
  look: PortalLook;
}>;

export const PORTAL = {
  /** A link can be opened for this long. */
  linkSeconds: 60,
  /** Least duration of a session. */
  leastSeconds: 900,
  mostSeconds: 3_600,
  requestsPerMinute: 600,
  endpoints: 20,
};

/** Returns the permissions of a portal session, which never include sending. */
export function portalPermissions({ capabilities }: Pick<Portal, "capabilities">): Permission[] {
  return [...new Set(capabilities.flatMap((each) => CAPABILITIES[each]))];
}
