/** What a key may be allowed to do. */
export const PERMISSIONS = [
  "endpoints:read",
  "endpoints:write",
  "webhooks:read",
  "webhooks:write",
  "event-types:write",
  "stats:read",
  "keys:write",
  "admin",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS);

/** What a key may do that was made without a list: everything but administer the installation. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter((each) => each !== "admin");

function isPermission(value: unknown): value is Permission {
  return typeof value === "string" && KNOWN.has(value);
}

/** The permissions among `values`; what is none of them grants nothing. */
export function permissionsOf(values: readonly unknown[]): ReadonlySet<Permission> {
  return new Set(values.filter(isPermission));
}
