import { type Person, type Role, roleOf } from "../domain/role";
import { textProblem, withoutInvisible } from "../runtime/text/plain-text";

/** The claims of an ID token and of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

export type RoleSettings = Readonly<{
  /** The claim that gives the role, and the role of each of its values. */
  roleClaim: string;
  roles: ReadonlyMap<string, Role>;
}>;

/** Most characters of a subject (OpenID Connect Core, 2), and of a name. */
const SUBJECT_MAX_LENGTH = 255;
const NAME_MAX_LENGTH = 256;
/** The spellings of true. Providers write booleans as texts and numbers too. */
const TRUE = ["true", "1"];

/**
 * Returns a claim by its name, or by its path with dots, such as `realm_access.roles`. Names on the path may have dots, as clients'
 * ids do: the longest name wins.
 */
export function claimIn(claims: unknown, path: string): unknown {
  if (typeof claims !== "object" || claims === null) return undefined;
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path];
  for (let end = path.lastIndexOf("."); end > 0; end = path.lastIndexOf(".", end - 1)) {
    const name = path.slice(0, end);
    const within = Object.hasOwn(claims, name) ? (claims as Claims)[name] : undefined;
    const found = claimIn(within, path.slice(end + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the name of the claim that says whether a claim is verified, such as `email_verified`. */
export function verifierOf(claim: string): string {
  return `${claim}_verified`;
}

/** Returns the problem of the provider's id of a person; null if there is none. */
export function subjectProblem(subject: string): string | null {
  if (subject.length > SUBJECT_MAX_LENGTH) return `sub is longer than ${SUBJECT_MAX_LENGTH} characters`;
  if (textProblem(subject) !== null || withoutInvisible(subject) !== subject || subject === "")
    return "sub is empty, or has characters that can't be seen";
  return null;
}

/** Returns the person, with a role of null if the claims give none. */
export function personIn(
  claims: Claims,
  subject: string,
  { roleClaim, roles }: RoleSettings,
): Omit<Person, "role"> & { role: Role | null } {
  const isTrusted = !isUnverified(claims, roleClaim);
  const given = valuesOf(claimIn(claims, roleClaim), roles);
  const values = given.filter((each) => isTrusted && !isUnverifiedAddress(claims, each));
  return { subject, name: nameIn(claims) ?? subject, role: roleOf(values, roles) };
}

/**
 * Returns the values of the claim of the role. Providers send a list, a text, a text of words with blanks between them, or an
 * object that has the values as keys.
 */
function valuesOf(claim: unknown, roles: RoleSettings["roles"]): readonly string[] {
  if (typeof claim === "string") return roles.has(claim) ? [claim] : claim.split(/\s+/);
  if (Array.isArray(claim)) return claim.filter((each) => typeof each === "string");
  if (typeof claim !== "object" || claim === null) return [];
  return Object.keys(claim).filter((key) => isGiven((claim as Claims)[key]));
}

/** True for a key's value that is true, or that has details, such as the organizations in which a role is given. */
function isGiven(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : isTrue(value);
}

/** Returns a name for people. Skips an address that the provider marks as not verified. */
function nameIn(claims: Claims): string | null {
  const skipsAddresses = isUnverified(claims, "email");
  const names = [skipsAddresses ? null : claims.email, claims.preferred_username, claims.name]
    .map((each) => (typeof each === "string" ? withoutInvisible(each) : ""))
    .filter((each) => each !== "" && !(skipsAddresses && each.includes("@")));
  return names[0]?.slice(0, NAME_MAX_LENGTH).toWellFormed() ?? null;
}

/** True if the provider says about a claim anything but that it is verified. Most say nothing. */
function isUnverified(claims: Claims, claim: string): boolean {
  const verified = claimIn(claims, verifierOf(claim));
  return verified !== undefined && !isTrue(verified);
}

function isTrue(value: unknown): boolean {
  return TRUE.includes(String(value).trim().toLowerCase());
}

/** True for the unverified address in a claim of another name. */
function isUnverifiedAddress(claims: Claims, value: string): boolean {
  const { email } = claims;
  if (typeof email !== "string") return false;
  return isUnverified(claims, "email") && value.trim().toLowerCase() === email.trim().toLowerCase();
}
