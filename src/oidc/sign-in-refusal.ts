import * as openid from "openid-client";
import { messageOf } from "../runtime/errors";
import { withoutInvisible } from "../runtime/text/plain-text";

/** The reason of a failed sign-in. */
export type SignInRefusal = Readonly<{
  kind: "unreachable" | "failed" | "no_role";
  /** For the log. */
  detail: string;
  /** The provider's own words, which the person may read; null if it said nothing. */
  said: string | null;
}>;

/** Most characters of the provider's words. */
export const SAID_MAX_LENGTH = 300;

/** The provider is another one than configured. */
export class OtherIssuer extends Error {
  constructor(configured: string, own: string) {
    super(`HERMOD_OIDC_ISSUER is ${configured}, but the provider there calls itself ${own}`);
  }
}

export function failed(detail: string): SignInRefusal {
  return { kind: "failed", detail, said: null };
}

/** Returns the refusal for an error of the exchange with the provider. */
export function refusalFor(error: unknown): SignInRefusal {
  const said = wordsIn(error);
  const more = said ?? comparisonIn(error) ?? causeIn(error);
  const detail = more === null ? messageOf(error) : `${messageOf(error)}: ${more}`;
  return { kind: isAnswer(error) ? "failed" : "unreachable", detail, said };
}

/** Returns the issuer in a discovery document that was refused because of it; null for other errors. */
export function ownIssuerIn(error: unknown): string | null {
  const mismatch = mismatchIn(error);
  return mismatch?.name === "issuer" && typeof mismatch.got === "string" ? mismatch.got : null;
}

/** True if the provider answered, either with a refusal or with an invalid answer. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof OtherIssuer ||
    error instanceof openid.ResponseBodyError ||
    error instanceof openid.AuthorizationResponseError ||
    error instanceof openid.WWWAuthenticateChallengeError ||
    (error instanceof openid.ClientError && !/^OAUTH_(TIMEOUT|ABORT)$/.test(error.code ?? ""))
  );
}

/** Returns the provider's `error` and `error_description` (RFC 6749, 4.1.2.1 and 5.2). */
function wordsIn(error: unknown): string | null {
  const isRefusal =
    error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError;
  if (!isRefusal) return null;
  const parts = [error.error, error.error_description].filter((each) => typeof each === "string");
  return withoutInvisible(parts.join(": ").slice(0, SAID_MAX_LENGTH).toWellFormed());
}

function comparisonIn(error: unknown): string | null {
  const mismatch = mismatchIn(error);
  if (mismatch === null || !COMPARED.includes(mismatch.name)) return null;
  const { name, got, expected } = mismatch;
  return `${name} is ${shown(got)} instead of ${shown(expected)}`;
}

/** The values that the log shows beside the expected ones. The others, such as the nonce, belong to one sign-in. */
const COMPARED = ["iss", "aud", "sub"];

type Mismatch = Readonly<{ name: string; got: unknown; expected: unknown }>;

/** Returns the value for which the client's library refused an answer. It is in the innermost cause. */
function mismatchIn(error: unknown): Mismatch | null {
  if (!(error instanceof Error)) return null;
  if (!isObject(error.cause) || !("expected" in error.cause)) return mismatchIn(error.cause);
  const { expected, claim, claims, attribute, body, parameters } = error.cause;
  if (typeof claim === "string" && isObject(claims)) return { name: claim, got: claims[claim], expected };
  if (typeof attribute === "string" && isObject(body))
    return { name: attribute, got: body[attribute], expected };
  // The library names the parameter, `iss` or `state`, in its message alone.
  if (!(parameters instanceof URLSearchParams) || !error.message.includes(`"iss"`)) return null;
  return { name: "iss", got: parameters.get("iss"), expected };
}

function causeIn(error: unknown): string | null {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, SAID_MAX_LENGTH) ?? "missing";
}
