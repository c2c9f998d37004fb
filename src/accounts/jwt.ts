import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Config } from "../config";
import type { Clock } from "../runtime/clock";
import { type AccountId, fromText } from "../runtime/ids";
import { type Permission, permissionsOf } from "./permissions";

export type JwtSettings = Pick<Config, "jwtSecret" | "jwksUrl" | "jwtIssuer" | "jwtAudience">;

/** What a token that holds says. */
export type JwtClaims = {
  accountId: AccountId;
  permissions: ReadonlySet<Permission>;
  /** Unix milliseconds. */
  expiresAt: number;
};

/** The issuer's keys could not be had, so a token could be judged neither good nor bad. */
export class KeySetUnavailable extends Error {
  constructor(reason: string) {
    super(`the JSON Web Key Set is out of reach: ${reason}`);
    this.name = "KeySetUnavailable";
  }
}

const SECRET_ALGORITHMS = ["HS256"];
const KEY_SET_ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const KEY_SET_TIMEOUT_MS = 5_000;
/** An unknown key id fetches the set anew, at most this often. */
const KEY_SET_COOLDOWN_MS = 10_000;
const KEY_SET_MAX_AGE_MS = 600_000;

type Source = { key: Uint8Array | JWTVerifyGetKey; algorithms: string[] };

/** Checks tokens against the one source of keys that is configured, a shared secret or a key set. */
export class JwtVerifier {
  private readonly source: Source | null;

  /** Throws when both sources are configured: a token must not choose what it is checked against. */
  constructor(
    private readonly settings: JwtSettings,
    private readonly clock: Clock,
  ) {
    this.source = sourceOf(settings);
  }

  get isEnabled(): boolean {
    return this.source !== null;
  }

  /** Null for a token that does not hold. Throws `KeySetUnavailable`. */
  async verify(token: string): Promise<JwtClaims | null> {
    if (this.source === null) return null;
    try {
      const payload = await this.payloadOf(token, this.source);
      return claimsOf(payload);
    } catch (error) {
      if (isKeySetFailure(error)) throw new KeySetUnavailable((error as Error).message);
      return null;
    }
  }

  private async payloadOf(token: string, { key, algorithms }: Source): Promise<JWTPayload> {
    const options = {
      algorithms,
      requiredClaims: ["exp", "account_id"],
      currentDate: new Date(this.clock.now()),
      issuer: this.settings.jwtIssuer ?? undefined,
      audience: this.settings.jwtAudience ?? undefined,
    };
    // The two calls are overloads of one function.
    const verified =
      key instanceof Uint8Array ? await jwtVerify(token, key, options) : await jwtVerify(token, key, options);
    return verified.payload;
  }
}

/** True for a text with the three parts of a signed token. */
export function looksLikeJwt(text: string): boolean {
  const first = text.indexOf(".");
  if (first < 1) return false;
  const second = text.indexOf(".", first + 1);
  return second > first + 1 && text.indexOf(".", second + 1) === -1;
}

function sourceOf({ jwtSecret, jwksUrl }: JwtSettings): Source | null {
  if (jwtSecret !== null && jwksUrl !== null) {
    throw new Error("HERMOD_JWT_SECRET and HERMOD_JWKS_URL exclude each other");
  }
  if (jwtSecret !== null) return { key: new TextEncoder().encode(jwtSecret), algorithms: SECRET_ALGORITHMS };
  if (jwksUrl === null) return null;
  const key = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: KEY_SET_TIMEOUT_MS,
    cooldownDuration: KEY_SET_COOLDOWN_MS,
    cacheMaxAge: KEY_SET_MAX_AGE_MS,
  });
  return { key, algorithms: KEY_SET_ALGORITHMS };
}

function claimsOf({ account_id, permissions, exp }: JWTPayload): JwtClaims | null {
  const accountId = typeof account_id === "string" ? fromText("acc", account_id) : null;
  if (accountId === null || exp === undefined) return null;
  return {
    accountId,
    permissions: permissionsOf(Array.isArray(permissions) ? permissions : []),
    expiresAt: exp * 1_000,
  };
}

// Everything that is wrong with the token is one of jose's own errors, and so is the set's timeout.
function isKeySetFailure(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === "ERR_JOSE_GENERIC"
  );
}
