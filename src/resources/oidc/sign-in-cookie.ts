import { createHash } from "node:crypto";
import type { SignInSecrets } from "../../oidc/identity-provider";

/**
 * A sign-in that a browser began. Only its cookie has `secret`, from which all unguessable values are derived. It begins with its
 * time: with another time the derived values would be others, which the provider's answer does not have.
 */
export type BegunSignIn = Readonly<{ secret: string; returnTo: string }>;

/** Most seconds that a person may take at the provider. */
export const SIGN_IN_SECONDS = 600;

const CONSOLE = "/console";
const MAX_RETURN = 1_024;
const SECRET = /^(\d{10})[A-Za-z0-9_-]{43}$/;

/** Begins a sign-in at a time, in Unix milliseconds. */
export function newSignIn(returnTo: string | null, now: number): BegunSignIn {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return { secret: `${Math.floor(now / 1_000)}${random}`, returnTo: consolePath(returnTo) };
}

export function encodeSignIn({ secret, returnTo }: BegunSignIn): string {
  return `${secret}.${Buffer.from(returnTo).toString("base64url")}`;
}

/** Returns null for a text that is no cookie of a sign-in, and for a sign-in that began too long ago. */
export function decodeSignIn(text: string | null, now: number): BegunSignIn | null {
  const [secret = "", path = ""] = text?.split(".") ?? [];
  const begunAt = Number(SECRET.exec(secret)?.[1] ?? 0);
  if (now / 1_000 - begunAt > SIGN_IN_SECONDS) return null;
  return { secret, returnTo: consolePath(Buffer.from(path, "base64url").toString()) };
}

/** Derives the values for the provider, so that no process must store a sign-in. */
export function secretsOf({ secret }: BegunSignIn): SignInSecrets {
  const derive = (purpose: string) => createHash("sha256").update(`${purpose} ${secret}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") };
}

/** Returns the id under which a sign-in is remembered once it has been used. */
export function idOfSignIn({ secret }: BegunSignIn): Buffer {
  return createHash("sha256").update(`used ${secret}`).digest();
}

/** Returns the path and query of a console page, without an earlier error; the first page for other paths. */
function consolePath(path: string | null): string {
  const url = path !== null && path.length <= MAX_RETURN ? URL.parse(path, "http://hermod") : null;
  if (!url || !`${url.pathname}/`.startsWith(`${CONSOLE}/`)) return CONSOLE;
  url.searchParams.delete("error");
  return url.pathname + url.search;
}
