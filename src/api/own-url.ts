import type { ApiSettings } from "./settings";

export type OwnUrl = Pick<ApiSettings, "publicUrl" | "production">;

/**
 * Returns the origin at which browsers reach this service: the configured one, or the request's. A wrong Host misleads only the
 * request's own sender.
 */
export function ownUrl({ publicUrl, production }: OwnUrl, { headers }: Request): string {
  return publicUrl ?? `${production ? "https" : "http"}://${headers.get("host") || "localhost"}`;
}
