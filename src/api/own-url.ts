import type { ApiSettings } from "./settings";

export type OwnUrl = Pick<ApiSettings, "publicUrl" | "production">;

/**
 * Returns the address at which browsers reach this service: the configured one, or the request's. A wrong Host misleads only the
 * request's own sender.
 */
export function ownUrl({ publicUrl, production }: OwnUrl, { headers }: Request): string {
  return publicUrl ?? `${production ? "https" : "http"}://${headers.get("host") || "localhost"}`;
}

/** Returns the path below which browsers reach this service, such as `/hermod`; empty at the root of its host. */
export function basePathOf({ publicUrl }: Pick<ApiSettings, "publicUrl">): string {
  return publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}
