import type { Database } from "../db/database";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import { toText } from "../runtime/ids";
import { type AccountLimits, readAccountLimits } from "./account-limits";
import { isBrokenKey } from "./api-key";
import { type JwtSettings, JwtVerifier, looksLikeJwt } from "./jwt";
import { KeyLookup, type KeyRow } from "./key-lookup";
import { KeyUse, USE_RESOLUTION_MS } from "./key-use";
import { permissionsOf } from "./permissions";
import type { Principal } from "./principal";

/** No key and no sensible JWT is longer. */
const MAX_TOKEN_LENGTH = 8_192;
/** What a credential is trusted after it was read: together with a reading, less than the 5 s promised. */
const TRUST_MS = 4_000;
const REFRESH_AFTER_MS = 2_000;
/** How long a token that is none is refused unread, so that a key made in the meantime works soon. */
const UNKNOWN_MS = 1_000;
const MAX_CREDENTIALS = 50_000;
const MAX_ACCOUNTS = 10_000;
const MAX_UNKNOWN = 10_000;

export type AuthenticatorOptions = {
  db: Database;
  clock: Clock;
  /** Null: no JWT is taken. */
  jwt: JwtSettings | null;
  /** Resolves once all keys are there that are to be: no token is looked up before. */
  keysAreThere?: Promise<void>;
};

/** What a token stands for. */
type Credential = {
  principal: Principal;
  /** When its use was last noted, Unix milliseconds; meaningless without a key. */
  usedAt: number;
};

/** Tells who a bearer token is: an API key, or a JWT where those are configured. */
export class Authenticator {
  private readonly jwt: JwtVerifier | null;
  private readonly lookup: KeyLookup;
  private readonly use: KeyUse;
  private readonly known: FreshCache<string, string, Credential | null>;
  /** Accounts that administrators act for. */
  private readonly accounts: FreshCache<string, null, AccountLimits | null>;
  /** Until when a hash is known to be nobody's, on the monotonic clock. */
  private readonly unknown = new BoundedMap<string, number>(MAX_UNKNOWN);

  constructor(private readonly options: AuthenticatorOptions) {
    const { db, clock, jwt } = options;
    this.jwt = jwt && new JwtVerifier(jwt, clock);
    this.lookup = new KeyLookup(db);
    this.use = new KeyUse(db, clock);
    const bounds = { clock, trustMs: TRUST_MS, refreshAfterMs: REFRESH_AFTER_MS };
    this.known = new FreshCache({
      ...bounds,
      read: (hash, token) => this.read(hash, token),
      maxEntries: MAX_CREDENTIALS,
      isKept: (credential) => credential !== null,
    });
    this.accounts = new FreshCache({
      ...bounds,
      read: (reference) => readAccountLimits(db, reference),
      maxEntries: MAX_ACCOUNTS,
      isKept: (account) => account !== null,
    });
  }

  /**
   * Null for a token that is nobody's, or no longer. The answer is a promise only when something must be
   * read first. Throws `DatabaseUnavailable` and `QueueFull`, and `KeySetUnavailable` for a JWT.
   */
  authenticate(token: string): Principal | null | Promise<Principal | null> {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    const hash = hashOf(token);
    const credential = this.known.fresh(hash, token);
    if (credential !== undefined) return this.admit(credential);
    if (isBrokenKey(token) || this.isUnknown(hash)) return null;
    return this.known.load(hash, token).then((read) => this.admit(read));
  }

  /** Returns an administrator as who acts for another account, by its id or external id; null: there is none. */
  actFor(principal: Principal, reference: string): Principal | null | Promise<Principal | null> {
    const act = (account: AccountLimits | null) => account && { ...principal, ...account };
    const account = this.accounts.fresh(reference, null);
    return account === undefined ? this.accounts.load(reference, null).then(act) : act(account);
  }

  /** Reads everything anew: for changes that this process made itself and wants to see at once. */
  forget(): void {
    this.known.forget();
    this.accounts.forget();
    this.unknown.clear();
  }

  /** Writes down what is still to be written. */
  close(): Promise<void> {
    return this.use.flush();
  }

  private admit(credential: Credential | null): Principal | null {
    if (credential === null) return null;
    const { principal } = credential;
    const now = this.options.clock.now();
    if (principal.expiresAt !== null && now >= principal.expiresAt) return null;
    if (principal.keyId !== null && now - credential.usedAt >= USE_RESOLUTION_MS) {
      credential.usedAt = now;
      this.use.note(principal.keyId, now);
    }
    return principal;
  }

  /** Null for a token that is nobody's. */
  private async read(hash: string, token: string): Promise<Credential | null> {
    await this.options.keysAreThere;
    // An admin key is of its owner's choice, and may look like a JWT.
    const credential = (await this.readJwt(token)) ?? (await this.readKey(hash));
    if (credential === null) this.noteUnknown(hash);
    return credential;
  }

  private async readKey(hash: string): Promise<Credential | null> {
    const row = await this.lookup.find(hash);
    return row && credentialOf(row);
  }

  private async readJwt(token: string): Promise<Credential | null> {
    const claims = this.jwt && looksLikeJwt(token) ? await this.jwt.verify(token) : null;
    if (claims === null) return null;
    const { accountId, permissions, expiresAt } = claims;
    const account = await readAccountLimits(this.options.db, toText("acc", accountId));
    if (account === null) return null;
    return { principal: { keyId: null, permissions, expiresAt, ...account }, usedAt: 0 };
  }

  private isUnknown(hash: string): boolean {
    const until = this.unknown.get(hash);
    return until !== undefined && this.options.clock.monotonic() < until;
  }

  private noteUnknown(hash: string): void {
    this.unknown.set(hash, this.options.clock.monotonic() + UNKNOWN_MS);
  }
}

function credentialOf(row: KeyRow): Credential {
  const { accountId, keyId, plan, requestsPerMinute, expiresAt, lastUsedAt } = row;
  const permissions = permissionsOf(row.permissions);
  return {
    principal: { accountId, keyId, permissions, expiresAt, plan, requestsPerMinute },
    usedAt: lastUsedAt ?? 0,
  };
}

/** In one call: a hasher made for each token takes three times as long (measured: 417 and 150 ns). */
function hashOf(token: string): string {
  return Bun.SHA256.hash(token, "hex");
}
