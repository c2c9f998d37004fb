import type { OidcSettings } from "../oidc/identity-provider";

/** The settings that the HTTP API needs. */
export type ApiSettings = Readonly<{
  production: boolean;
  /** Origins whose pages may use the API. */
  corsOrigins: readonly string[];
  /** True if the API serves the console at /console. */
  console: boolean;
  /** True if the API serves the portal at /portal. */
  portal: boolean;
  /** Origins whose pages may embed the portal. */
  portalOrigins: readonly string[];
  /** Networks of the proxies whose X-Forwarded-For is believed; null for none. */
  trustedProxies: string | null;
  /** The address at which browsers reach this service, with a path below which a proxy publishes it; null to use the host of each request. */
  publicUrl: string | null;
  /** Null for a console without an identity provider. */
  oidc: OidcSettings | null;
  /** How long ended deliveries are kept. */
  retentionMs: number;
  /** How long the audit log keeps changes. */
  auditRetentionMs: number;
  /** How long an endpoint may fail before Hermod sets it inactive. */
  disableAfterMs: number;
}>;
