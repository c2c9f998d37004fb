import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { type AccountId, fromText } from "../../domain/ids";
import { type Permission, permissionsOf } from "../../domain/permission";
import type { Clock } from "../../runtime/clock";
import { KEY_SET_ALGORITHMS, KeySetUnavailable, remoteKeySet } from "./key-set";

export type JwtSettings = Readonly<{
  /** The one source of keys: a token must not choose the key that checks it. */
  keys: { secret: string } | { setUrl: string };
  /** The required claims of tokens; null to accept any value. */
  issuer: string | null;
  audience: string | null;
}>;

/** The claims of a valid token. */
export type JwtClaims = {
  accountId: AccountId;
  permissions: ReadonlySet<Permission>;
  /** Unix milliseconds. */
  expiresAt: number;
};

const SECRET_ALGORITHMS = ["HS256"];
/** The end of the year 9999, Unix seconds. */
const LAST_DATE_S = 253_402_300_799;
/** The issuer's clock may be this many seconds ahead. */
const AHEAD_S = 300;

type TokenKey = { key: Uint8Array | JWTVerifyGetKey; algorithms: string[] };

/** Checks tokens against a shared secret or a key set. */
export class JwtVerifier {
  private readonly source: TokenKey;

  constructor(
    private readonly settings: JwtSettings,
    private readonly clock: Clock,
  ) {
    this.source = sourceOf(settings);
  }

  /** Resolves to null for an invalid token or key. Throws `KeySetUnavailable`. */
  async verify(token: string): Promise<JwtClaims | null> {
    try {
      return claimsOf(await this.payloadOf(token), this.clock.now() / 1_000);
    } catch (error) {
      if (error instanceof KeySetUnavailable) throw error;
      return null;
    }
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const { key } = this.source;
    if (key instanceof Uint8Array) return (await jwtVerify(token, key, this.rules())).payload;
    try {
      return (await jwtVerify(token, key, this.rules())).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return this.payloadByAnyOf(error, token);
      throw error;
    }
  }

  /** Verifies a token that names no key, with each key that fits. */
  private async payloadByAnyOf(keys: AsyncIterable<CryptoKey>, token: string): Promise<JWTPayload> {
    for await (const key of keys) {
      const verified = await jwtVerify(token, key, this.rules()).catch(() => null);
      if (verified) return verified.payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }

  private rules() {
    return {
      algorithms: this.source.algorithms,
      currentDate: new Date(this.clock.now()),
      issuer: this.settings.issuer ?? undefined,
      audience: this.settings.audience ?? undefined,
    };
  }
}

/** True for a text with the three parts of a signed token. */
export function looksLikeJwt(text: string): boolean {
  const first = text.indexOf(".");
  if (first < 1) return false;
  const second = text.indexOf(".", first + 1);
  return second > first + 1 && text.indexOf(".", second + 1) === -1;
}

function sourceOf({ keys }: JwtSettings): TokenKey {
  return "secret" in keys
    ? { key: new TextEncoder().encode(keys.secret), algorithms: SECRET_ALGORITHMS }
    : { key: remoteKeySet(keys.setUrl), algorithms: KEY_SET_ALGORITHMS };
}

function claimsOf({ account_id, permissions, exp, nbf, iat }: JWTPayload, nowS: number): JwtClaims | null {
  const accountId = typeof account_id === "string" ? fromText("acc", account_id) : null;
  if (accountId === null || !isDate(exp)) return null;
  // jose checks only that these are numbers, and JSON reads 1e999 as infinity.
  if (nbf !== undefined && !(isDate(nbf) && nbf < exp)) return null;
  if (iat !== undefined && !(isDate(iat) && iat <= exp && iat <= nowS + AHEAD_S)) return null;
  return {
    accountId,
    permissions: permissionsOf(Array.isArray(permissions) ? permissions : []),
    expiresAt: exp * 1_000,
  };
}

function isDate(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds >= 0 && seconds <= LAST_DATE_S;
}
