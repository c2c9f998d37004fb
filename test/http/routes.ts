import type { Permission } from "../../src/accounts/authentication/permissions";

/** Identifiers of the right shape that nothing has. */
export const ABSENT = {
  endpoint: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  event: "evt_01k9x3v5q8e7bt2m4n6p8r0000",
  delivery: "wh_01k9x3v5q8e7bt2m4n6p8r0s2t",
  account: "acc_01k9x3v5q8e7bt2m4n6p8r0s2t",
  job: "job_01k9x3v5q8e7bt2m4n6p8r0s2t",
  key: "key_01k9x3v5q8e7bt2m4n6p8r0s2t",
} as const;

export type Route = { method: string; path: string; permission: Permission | null };

/** Every route under /v1 and what it asks of a key; null is nothing. */
export const ROUTES: readonly Route[] = [
  { method: "GET", path: "/endpoints", permission: "endpoints:read" },
  { method: "POST", path: "/endpoints", permission: "endpoints:write" },
  { method: "GET", path: `/endpoints/${ABSENT.endpoint}`, permission: "endpoints:read" },
  { method: "PATCH", path: `/endpoints/${ABSENT.endpoint}`, permission: "endpoints:write" },
  { method: "PUT", path: `/endpoints/${ABSENT.endpoint}`, permission: "endpoints:write" },
  { method: "DELETE", path: `/endpoints/${ABSENT.endpoint}`, permission: "endpoints:write" },
  { method: "POST", path: `/endpoints/${ABSENT.endpoint}/rotate-secret`, permission: "endpoints:write" },
  { method: "GET", path: `/endpoints/${ABSENT.endpoint}/stats`, permission: "stats:read" },
  { method: "GET", path: `/endpoints/${ABSENT.endpoint}/stats/series`, permission: "stats:read" },
  { method: "GET", path: `/endpoints/${ABSENT.endpoint}/queue`, permission: "webhooks:read" },
  { method: "GET", path: "/backlog", permission: "webhooks:read" },
  { method: "GET", path: "/stats/series", permission: "stats:read" },
  { method: "GET", path: "/admin/stats/series", permission: "admin" },
  { method: "POST", path: `/endpoints/${ABSENT.endpoint}/filter/test`, permission: "webhooks:read" },
  { method: "POST", path: `/endpoints/${ABSENT.endpoint}/test`, permission: "webhooks:retry" },
  { method: "POST", path: "/webhooks", permission: "webhooks:write" },
  { method: "POST", path: "/webhooks/batch", permission: "webhooks:write" },
  { method: "POST", path: "/events", permission: "webhooks:write" },
  { method: "POST", path: "/events/batch", permission: "webhooks:write" },
  { method: "GET", path: "/events", permission: "webhooks:read" },
  { method: "GET", path: `/events/${ABSENT.event}`, permission: "webhooks:read" },
  { method: "GET", path: `/events/${ABSENT.event}/deliveries`, permission: "webhooks:read" },
  { method: "GET", path: `/events/${ABSENT.event}/missed`, permission: "webhooks:read" },
  { method: "DELETE", path: `/events/${ABSENT.event}/payload`, permission: "webhooks:write" },
  { method: "GET", path: "/webhooks", permission: "webhooks:read" },
  { method: "GET", path: "/webhooks?limit=1", permission: "webhooks:read" },
  // With a parameter that is refused: otherwise they would be answered without end.
  { method: "GET", path: "/webhooks/tail?iterator=none", permission: "webhooks:read" },
  { method: "GET", path: "/jobs/tail?none=1", permission: "webhooks:read" },
  { method: "GET", path: `/webhooks/${ABSENT.delivery}`, permission: "webhooks:read" },
  { method: "POST", path: `/webhooks/${ABSENT.delivery}/cancel`, permission: "webhooks:retry" },
  { method: "POST", path: `/webhooks/${ABSENT.delivery}/retry`, permission: "webhooks:retry" },
  { method: "POST", path: `/endpoints/${ABSENT.endpoint}/retry`, permission: "webhooks:retry" },
  { method: "POST", path: `/webhooks/${ABSENT.delivery}/resend`, permission: "webhooks:retry" },
  { method: "DELETE", path: `/webhooks/${ABSENT.delivery}/payload`, permission: "webhooks:write" },
  { method: "POST", path: `/endpoints/${ABSENT.endpoint}/replay`, permission: "webhooks:retry" },
  { method: "POST", path: "/erasures", permission: "webhooks:write" },
  { method: "GET", path: "/jobs", permission: "webhooks:read" },
  { method: "GET", path: `/jobs/${ABSENT.job}`, permission: "webhooks:read" },
  { method: "POST", path: `/jobs/${ABSENT.job}/cancel`, permission: "webhooks:retry" },
  { method: "GET", path: "/stats", permission: "stats:read" },
  { method: "GET", path: "/billing/usage", permission: "stats:read" },
  { method: "GET", path: "/event-types", permission: "webhooks:read" },
  { method: "GET", path: "/event-types/order.created", permission: "webhooks:read" },
  { method: "PUT", path: "/event-types/order.created/schema", permission: "event-types:write" },
  { method: "DELETE", path: "/event-types/order.created/schema", permission: "event-types:write" },
  { method: "GET", path: "/me", permission: null },
  { method: "POST", path: "/sessions", permission: null },
  { method: "GET", path: "/sessions", permission: null },
  { method: "DELETE", path: "/sessions", permission: null },
  { method: "GET", path: "/keys", permission: "keys:write" },
  { method: "POST", path: "/keys", permission: "keys:write" },
  { method: "PATCH", path: `/keys/${ABSENT.key}`, permission: "keys:write" },
  { method: "DELETE", path: `/keys/${ABSENT.key}`, permission: "keys:write" },
  { method: "GET", path: "/admin/accounts", permission: "admin" },
  { method: "POST", path: "/admin/accounts", permission: "admin" },
  { method: "GET", path: `/admin/accounts/${ABSENT.account}`, permission: "admin" },
  { method: "PUT", path: `/admin/accounts/${ABSENT.account}`, permission: "admin" },
  { method: "PATCH", path: `/admin/accounts/${ABSENT.account}`, permission: "admin" },
  { method: "GET", path: `/admin/accounts/${ABSENT.account}/keys`, permission: "admin" },
  { method: "POST", path: `/admin/accounts/${ABSENT.account}/keys`, permission: "admin" },
  { method: "DELETE", path: `/admin/keys/${ABSENT.key}`, permission: "admin" },
  { method: "GET", path: "/admin/audit", permission: "admin" },
  { method: "GET", path: "/activity", permission: "endpoints:read" },
  { method: "GET", path: "/admin/plans", permission: "admin" },
  { method: "PUT", path: "/admin/plans/free", permission: "admin" },
];

/** A route's name in a table of tests. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}
