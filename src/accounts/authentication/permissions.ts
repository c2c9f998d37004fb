/** What a key may be allowed to do. */
export const PERMISSIONS = [
  "endpoints:read",
  "endpoints:write",
  "webhooks:read",
  "webhooks:write",
  "webhooks:retry",
  "event-types:write",
  "stats:read",
  "keys:write",
  "admin",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS);

/** The permissions that another one includes. */
const INCLUDED: Readonly<Partial<Record<Permission, readonly Permission[]>>> = {
  "webhooks:write": ["webhooks:retry"],
};

/** The permissions of a key that is made without a list: everything but administer the installation. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter((each) => each !== "admin");

function isPermission(value: unknown): value is Permission {
  return typeof value === "string" && KNOWN.has(value);
}

/** Returns the permissions among `values`, and those that they include; other values grant nothing. */
export function permissionsOf(values: readonly unknown[]): ReadonlySet<Permission> {
  const given = values.filter(isPermission);
  return new Set([...given, ...given.flatMap((each) => INCLUDED[each] ?? [])]);
}
