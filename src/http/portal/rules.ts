import type { Capability } from "../../sessions/portal";

/**
 * The rule for an operation in a portal session. `endpoint`: its path names an endpoint. `delivery`: its path names a delivery.
 * `filter`: it lists deliveries, by endpoint. `selection`: the `filter` of its body selects deliveries. `endpoints`: its handler
 * lists only the session's endpoints. `account`: it concerns the whole account. `itself`: it concerns the session.
 */
export type PortalRule = Readonly<{
  /** The capability that it needs; null for none. */
  needs: Capability | null;
  /** Another one that it needs. */
  also?: Capability;
  concerns: "endpoint" | "delivery" | "filter" | "selection" | "endpoints" | "account" | "itself";
  /** The fields that the body may have. */
  fields?: readonly string[];
}>;

const ENDPOINT_FIELDS = [
  "url",
  "description",
  "event_filter",
  "event_types",
  "is_active",
  "headers",
  "sensitive_headers",
];

/** Rules by the operation's name. A portal session may not call other operations. */
export const PORTAL_RULES: Readonly<Record<string, PortalRule>> = {
  getMe: { needs: null, concerns: "itself" },
  getPortalSession: { needs: null, concerns: "itself" },
  deletePortalSession: { needs: null, concerns: "itself" },
  listEndpoints: { needs: "view", concerns: "endpoints" },
  getEndpoint: { needs: "view", concerns: "endpoint" },
  getEndpointStats: { needs: "view", concerns: "endpoint" },
  // The new endpoint's receiver gets payloads.
  createEndpoint: {
    needs: "manage_endpoints",
    also: "view_payloads",
    concerns: "account",
    fields: ENDPOINT_FIELDS,
  },
  updateEndpoint: { needs: "manage_endpoints", concerns: "endpoint", fields: ENDPOINT_FIELDS },
  deleteEndpoint: { needs: "manage_endpoints", concerns: "endpoint" },
  rotateSecret: { needs: "manage_endpoints", concerns: "endpoint", fields: ["overlap"] },
  testEndpoint: { needs: "test", concerns: "endpoint", fields: ["forged"] },
  retryEndpoint: { needs: "retry", concerns: "endpoint" },
  listWebhooks: { needs: "view", concerns: "filter" },
  tailWebhooks: { needs: "view", concerns: "filter" },
  getWebhook: { needs: "view", concerns: "delivery" },
  retryWebhook: { needs: "retry", concerns: "delivery" },
  resendWebhook: { needs: "retry", concerns: "delivery" },
  resendWebhooks: { needs: "retry", concerns: "selection", fields: ["filter", "dry_run"] },
};
