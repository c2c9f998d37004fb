import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "../runtime/clock";
import { type AccountId, fromText } from "../runtime/ids";
import { messageOf } from "../runtime/message-of";
import { type Permission, permissionsOf } from "./permissions";

export type JwtSettings = Readonly<{
  /** Where the keys are from: one place, since a token must not choose what it is checked against. */
  keys: { secret: string } | { setUrl: string };
  /** What tokens must say; null: whatever they like. */
  issuer: string | null;
  audience: string | null;
}>;

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

/** Checks tokens against a shared secret or a key set. */
export class JwtVerifier {
  private readonly source: Source;

  constructor(
    private readonly settings: JwtSettings,
    private readonly clock: Clock,
  ) {
    this.source = sourceOf(settings);
  }

  /** Null for a token that does not hold. Throws `KeySetUnavailable`. */
  async verify(token: string): Promise<JwtClaims | null> {
    try {
      return claimsOf(await this.payloadOf(token));
    } catch (error) {
      if (isKeySetFailure(error)) throw new KeySetUnavailable(messageOf(error));
      return null;
    }
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const { key, algorithms } = this.source;
    const options = {
      algorithms,
      currentDate: new Date(this.clock.now()),
      issuer: this.settings.issuer ?? undefined,
      audience: this.settings.audience ?? undefined,
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

function sourceOf({ keys }: JwtSettings): Source {
  if ("secret" in keys) return { key: new TextEncoder().encode(keys.secret), algorithms: SECRET_ALGORITHMS };
  const key = createRemoteJWKSet(new URL(keys.setUrl), {
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
