import type { Config } from "../service/config";

export type OwnUrl = Pick<Config, "publicUrl" | "production">;

/**
 * Returns the origin at which browsers reach this service: as configured, or as the request says. A request leads only
 * its own sender astray.
 */
export function ownUrl({ publicUrl, production }: OwnUrl, { headers }: Request): string {
  return publicUrl ?? `${production ? "https" : "http"}://${headers.get("host") ?? "localhost"}`;
}
