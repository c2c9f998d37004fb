import { PERMISSIONS, type Permission } from "./permission";

const VIEWER = [
  "accounts:act",
  "endpoints:read",
  "webhooks:read",
  "stats:read",
] as const satisfies readonly Permission[];

/** The permissions of each role, from the lowest role to the highest. */
export const ROLES = {
  viewer: VIEWER,
  support: [...VIEWER, "webhooks:retry"],
  operator: PERMISSIONS.filter((each) => each !== "keys:write" && each !== "admin"),
  admin: PERMISSIONS,
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof ROLES;

const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** The roles by their own names. */
export const ROLES_BY_NAME: ReadonlyMap<string, Role> = new Map(ROLE_NAMES.map((name) => [name, name]));

/** A person whom an identity provider has signed in. */
export type Person = Readonly<{
  /** The provider's id of the person. It never changes. */
  subject: string;
  /** The person's name in the audit log: the email address if there is one. */
  name: string;
  role: Role;
}>;

/** Reads `value=role` pairs with commas between them. Throws for anything else. */
export function parseRoles(text: string): ReadonlyMap<string, Role> {
  return new Map(
    text.split(",").map((pair) => {
      const end = pair.lastIndexOf("=");
      const [value, name] = [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
      const role = ROLE_NAMES.find((each) => each === name);
      if (end === -1 || value === "" || role === undefined)
        throw new Error(
          `${JSON.stringify(pair.trim())} must be <value of the claim>=<role>, and the role one of ${ROLE_NAMES.join(", ")}`,
        );
      return [value, role];
    }),
  );
}

/** Returns the highest role that a claim's value gives; null for none. */
export function roleOf(value: unknown, roles: ReadonlyMap<string, Role>): Role | null {
  const values = Array.isArray(value) ? value : [value];
  const given = new Set(values.map((each) => (typeof each === "string" ? roles.get(each) : undefined)));
  return ROLE_NAMES.findLast((role) => given.has(role)) ?? null;
}
