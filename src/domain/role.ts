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

const ROLES_FORM =
  `Write <value of the claim>=<role> pairs with commas between them, or a JSON object such as {"CN=Hooks,DC=example": "admin"} ` +
  `for values that have commas. The roles are ${ROLE_NAMES.join(", ")}`;

/** A person whom an identity provider has signed in. */
export type Person = Readonly<{
  /** The provider's id of the person. It never changes. */
  subject: string;
  /** The person's name in the audit log: the email address if there is one. */
  name: string;
  role: Role;
}>;

/**
 * Reads the role of each value of a claim: `value=role` pairs with commas between them, or a JSON object for values that have
 * commas. Throws for anything else.
 */
export function parseRoles(text: string): ReadonlyMap<string, Role> {
  const pairs = text.trimStart().startsWith("{") ? pairsOfObject(text) : pairsOfList(text);
  if (pairs.length === 0) throw new Error(`it has no roles. ${ROLES_FORM}`);
  return new Map(pairs.map(([value, name]) => [value, roleNamed(value, name)]));
}

type Pair = readonly [value: string, role: unknown];

function pairsOfList(text: string): readonly Pair[] {
  return text.split(",").map((pair) => {
    const end = pair.lastIndexOf("=");
    return [pair.slice(0, Math.max(end, 0)).trim(), pair.slice(end + 1).trim()];
  });
}

function pairsOfObject(text: string): readonly Pair[] {
  try {
    return Object.entries(JSON.parse(text));
  } catch {
    throw new Error(`it begins like a JSON object, but is none. ${ROLES_FORM}`);
  }
}

function roleNamed(value: string, name: unknown): Role {
  const role = ROLE_NAMES.find((each) => each === name);
  if (value !== "" && role !== undefined) return role;
  const shown = typeof name === "string" ? `${value}=${name}` : `${value}=${JSON.stringify(name)}`;
  throw new Error(`${JSON.stringify(shown)} names no value with its role. ${ROLES_FORM}`);
}

/** Returns the highest role that the values give; null for none. */
export function roleOf(values: readonly string[], roles: ReadonlyMap<string, Role>): Role | null {
  const given = new Set(values.map((each) => roles.get(each)));
  return ROLE_NAMES.findLast((role) => given.has(role)) ?? null;
}
