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

/** Returns a claim by its name, or by its path with dots, such as `realm_access.roles`. */
export function claimIn(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((within, part) => {
    const isObject = typeof within === "object" && within !== null && Object.hasOwn(within, part);
    return isObject ? (within as Record<string, unknown>)[part] : undefined;
  }, claims);
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
  const given = [claimIn(claims, roleClaim)].flat();
  const values = given.filter((each) => isTrusted && !isUnverifiedAddress(claims, each));
  return { subject, name: nameIn(claims) ?? subject, role: roleOf(values, roles) };
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
  return verified !== undefined && !TRUE.includes(String(verified).trim().toLowerCase());
}

/** True for the unverified address in a claim of another name. */
function isUnverifiedAddress(claims: Claims, value: unknown): boolean {
  const { email } = claims;
  if (typeof value !== "string" || typeof email !== "string") return false;
  return isUnverified(claims, "email") && value.trim().toLowerCase() === email.trim().toLowerCase();
}
