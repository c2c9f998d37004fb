import type { Database } from "../../db/database";
import { arrayOf } from "../../db/sql/arrays";
import { type KeyId, toText } from "../../domain/ids";
import { permissionsOf } from "../../domain/permission";
import { PORTAL, portalPermissions } from "../../domain/portal";
import { RECEIVER_KEYS } from "../../domain/receiver-key";
import { ROLES } from "../../domain/role";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import { FreshCache } from "../../runtime/fresh-cache";
import { type AccountLimits, readAccountLimits } from "./account-limits";
import { isBrokenKey } from "./api-key";
import { type JwtSettings, JwtVerifier, looksLikeJwt } from "./jwt";
import { KeyLookup, type KeyRow } from "./key-lookup";
import type { Principal } from "./principal";
import { type FoundSession, SessionLookup } from "./session-lookup";
import { csrfTokenOf, kindOfToken, type SessionKind } from "./session-token";

/** Longer tokens are refused unread. Keys and reasonable JWTs are shorter. */
const MAX_TOKEN_LENGTH = 8_192;
/** A credential is trusted for this long from the start of its read. That is below the promised 5 s. */
const TRUST_MS = 4_000;
const REFRESH_AFTER_MS = 2_000;
/** An unknown token is refused for this long without a query. Short, so that a new key works soon. */
const UNKNOWN_MS = 1_000;
const MAX_CREDENTIALS = 50_000;
const MAX_ACCOUNTS = 10_000;
const MAX_UNKNOWN = 10_000;

export type AuthenticatorOptions = {
  db: Database;
  clock: Clock;
  /** Null to refuse JWTs. */
  jwt: JwtSettings | null;
  /** Resolves once the admin key is stored. Tokens are looked up only after it. */
  keysAreThere?: Promise<void>;
};

/** The result of reading a token. */
type Credential = {
  principal: Principal;
  /** The time at which its use was last noted, Unix milliseconds; meaningless without a key. */
  usedAt: number;
};

/** Finds the principal of a token, which is an API key, a browser's session or, if configured, a JWT. */
export class Authenticator {
  private readonly jwt: JwtVerifier | null;
  private readonly lookup: KeyLookup;
  private readonly sessions: SessionLookup;
  private readonly use: KeyUse;
  private readonly known: FreshCache<string, string, Credential | null>;
  /** The accounts for which administrators act. */
  private readonly accounts: FreshCache<string, null, AccountLimits | null>;
  /** Hashes without a key, each with the time until which that is trusted (monotonic, in ms). */
  private readonly unknown = new BoundedMap<string, number>(MAX_UNKNOWN);

  constructor(private readonly options: AuthenticatorOptions) {
    const { db, clock, jwt } = options;
    this.jwt = jwt && new JwtVerifier(jwt, clock);
    this.lookup = new KeyLookup(db);
    this.sessions = new SessionLookup(db);
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
   * Returns the principal, or null for an unknown, revoked or expired token. Returns a promise only if something must be read
   * first. Throws `DatabaseUnavailable` and `QueueFull`, and `KeySetUnavailable` for a JWT.
   */
  authenticate(token: string): Principal | null | Promise<Principal | null> {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    const hash = hashOf(token);
    const credential = this.known.fresh(hash, token);
    if (credential !== undefined) return this.admit(credential);
    if (isBrokenKey(token) || this.isUnknown(hash)) return null;
    return this.known.load(hash, token).then((read) => this.admit(read));
  }

  /** Returns the administrator acting for the account with this id or external id; null if there is none. */
  actFor(principal: Principal, reference: string): Principal | null | Promise<Principal | null> {
    const act = (account: AccountLimits | null) => account && { ...principal, ...account };
    const account = this.accounts.fresh(reference, null);
    return account === undefined ? this.accounts.load(reference, null).then(act) : act(account);
  }

  /** Drops the caches, so that a change by this process applies here at once. */
  forget(): void {
    this.known.forget();
    this.accounts.forget();
    this.unknown.clear();
  }

  /** Writes the uses that are not written yet. */
  close(): Promise<void> {
    return this.use.flush();
  }

  private admit(credential: Credential | null): Principal | null {
    if (credential === null) return null;
    const { principal } = credential;
    const now = this.options.clock.now();
    if (principal.expiresAt !== null && now >= principal.expiresAt) return null;
    if (principal.session !== null && now >= principal.session.endsAt) return null;
    if (principal.keyId !== null && now - credential.usedAt >= USE_RESOLUTION_MS) {
      credential.usedAt = now;
      this.use.note(principal.keyId, now);
    }
    return principal;
  }

  /** Resolves to null for an unknown token. */
  private async read(hash: string, token: string): Promise<Credential | null> {
    await this.options.keysAreThere;
    // Operators choose the admin key, which may look like a JWT, so a JWT is looked up as a key too.
    const kind = kindOfToken(token);
    const credential = kind
      ? await this.readSession(hash, token, kind)
      : ((await this.readJwt(token)) ?? (await this.readKey(hash)));
    if (credential === null) this.noteUnknown(hash);
    return credential;
  }

  private async readKey(hash: string): Promise<Credential | null> {
    const row = await this.lookup.find(hash);
    return row && credentialOf(row);
  }

  private async readSession(hash: string, token: string, kind: SessionKind): Promise<Credential | null> {
    const found = await this.sessions.find(hash);
    return found && credentialOfSession(found, kind, csrfTokenOf(token));
  }

  private async readJwt(token: string): Promise<Credential | null> {
    const claims = this.jwt && looksLikeJwt(token) ? await this.jwt.verify(token) : null;
    if (claims === null) return null;
    const { accountId, permissions, expiresAt } = claims;
    const account = await readAccountLimits(this.options.db, toText("acc", accountId));
    if (account === null) return null;
    const principal = {
      keyId: null,
      endpointId: null,
      session: null,
      permissions,
      expiresAt,
      vouched: null,
      ...account,
    };
    return { principal, usedAt: 0 };
  }

  private isUnknown(hash: string): boolean {
    const until = this.unknown.get(hash);
    return until !== undefined && this.options.clock.monotonic() < until;
  }

  private noteUnknown(hash: string): void {
    this.unknown.set(hash, this.options.clock.monotonic() + UNKNOWN_MS);
  }
}

/** Returns a key's credential. A receiver's key has a limit of its own. */
function credentialOf(row: KeyRow): Credential {
  const { accountId, endpointId, keyId, plan, expiresAt, lastUsedAt, isMoving } = row;
  const permissions = permissionsOf(row.permissions);
  const { requestsPerMinute } = endpointId === null ? row : RECEIVER_KEYS;
  return {
    principal: {
      accountId,
      endpointId,
      keyId,
      session: null,
      permissions,
      expiresAt,
      plan,
      requestsPerMinute,
      isMoving,
      vouched: null,
    },
    usedAt: lastUsedAt ?? 0,
  };
}

/** Returns a session's credential. A portal session has its own permissions and limit. A link has none: it opens its session. */
function credentialOfSession(found: FoundSession, kind: SessionKind, csrfToken: string): Credential {
  const { id, endsAt, portal, person, accountId, keyId, keyExpiresAt, keyUsedAt, plan, isLink, isMoving } =
    found;
  const session = { kind, id, endsAt, portal, person, keyId, csrfToken };
  const account = { accountId, endpointId: null, plan, expiresAt: keyExpiresAt, isMoving, vouched: null };
  const held = permissionsOf(person ? ROLES[person.role] : (found.permissions ?? []));
  if (portal === null) {
    const { requestsPerMinute } = found;
    const principal = { ...account, keyId, session, permissions: held, requestsPerMinute };
    return { principal, usedAt: keyUsedAt ?? 0 };
  }
  const permissions = new Set(isLink ? [] : portalPermissions(portal).filter((each) => held.has(each)));
  const { requestsPerMinute } = PORTAL;
  return { principal: { ...account, keyId: null, session, permissions, requestsPerMinute }, usedAt: 0 };
}

/** Hashes in one call, which takes 150 ns. A new hasher for each token takes 417 ns (measured). */
function hashOf(token: string): string {
  return Bun.SHA256.hash(token, "hex");
}

/** A key's use is noted at most once in this time. */
export const USE_RESOLUTION_MS = 60_000;
/** Uses are written together, this long after the first. */
const FLUSH_AFTER_MS = 5_000;

/** Records the last use of keys, exact to a minute. Requests do not wait for it. */
export class KeyUse {
  private readonly notes = new Map<KeyId, number>();
  private cancelFlush: (() => void) | null = null;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  note(keyId: KeyId, now: number): void {
    this.notes.set(keyId, now);
    this.cancelFlush ??= this.clock.after(FLUSH_AFTER_MS, () => {
      this.flush();
    });
  }

  /** Writes the noted uses. Resolves also if that fails, since nothing depends on them. */
  flush(): Promise<void> {
    this.cancelFlush?.();
    this.cancelFlush = null;
    const notes = [...this.notes];
    this.notes.clear();
    if (notes.length > 0) this.flushing = this.flushing.then(() => this.write(notes)).catch(() => {});
    return this.flushing;
  }

  // Skips rows that other processes have locked: they note the same keys, and waiting could deadlock.
  private async write(notes: readonly (readonly [KeyId, number])[]): Promise<void> {
    await this.db.run(
      (sql) => sql`
        with due as (
          select k.id, n.at
          from unnest(
            ${arrayOf(notes.map(([id]) => id))}::uuid[],
            ${arrayOf(notes.map(([, at]) => at))}::float8[]
          ) as n(id, at)
          join api_keys k on k.id = n.id
          where k.last_used_at is null or k.last_used_at < to_timestamp(n.at / 1000)
          for no key update of k skip locked
        )
        update api_keys k set last_used_at = to_timestamp(due.at / 1000) from due where k.id = due.id
      `,
    );
  }
}
