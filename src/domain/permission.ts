/** The permissions that a key may have. */
export const PERMISSIONS = [
  "endpoints:read",
  "endpoints:write",
  "webhooks:read",
  "webhooks:write",
  "webhooks:retry",
  "event-types:write",
  "stats:read",
  "keys:write",
  "accounts:act",
  "admin",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS);

/** The permissions that another one includes. */
const INCLUDED: Readonly<Partial<Record<Permission, readonly Permission[]>>> = {
  "webhooks:write": ["webhooks:retry"],
  admin: ["accounts:act"],
};

/** Permissions that reach beyond one account. A key with one of them always ends with the key that made it. */
const BEYOND_ACCOUNT: ReadonlySet<Permission> = new Set(["accounts:act", "admin"]);

export function reachesBeyondAccount(permissions: readonly Permission[]): boolean {
  return permissions.some((each) => BEYOND_ACCOUNT.has(each));
}

/** The permissions of a key that is created without a list: everything within its account. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (each) => !BEYOND_ACCOUNT.has(each),
);

function isPermission(value: unknown): value is Permission {
  return typeof value === "string" && KNOWN.has(value);
}

/** Returns the permissions among `values`, with the permissions that they include. Other values grant nothing. */
export function permissionsOf(values: readonly unknown[]): ReadonlySet<Permission> {
  const given = values.filter(isPermission);
  return new Set([...given, ...given.flatMap((each) => INCLUDED[each] ?? [])]);
}
