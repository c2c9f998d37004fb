import type { Database } from "../../db/database";
import { untilNoDeadlock } from "../../db/database";
import type { AnySql, TransactionSql } from "../../db/pool";
import { lifetime } from "../../db/sql/idempotency-key";
import type { AccountId } from "../../domain/ids";
import type { IdempotencyClaim } from "../../intake/new-delivery";
import type { SecretVault } from "../../vault/vault";
import { badRequest, conflict } from "../errors";

/** The status and body of a successful answer. */
export type Answered = { status: number; json: string };

/** A request's answer, and what to do once it is committed. */
export type Done = Answered & { afterCommit?: () => void };

/** Executes a request in the transaction that claims its key. Throws to refuse. */
export type Effect = (sql: TransactionSql) => Promise<Done>;

export type Claim = IdempotencyClaim & { accountId: AccountId };

type OnceResult = (Done & { replayed: false }) | (Answered & { replayed: true });
type IdempotencyRow = {
  fingerprint: Uint8Array;
  status: number | null;
  response: string | null;
  createdAt: string;
  isOver: boolean;
};

/**
 * Executes requests with the same key once. Claim, effect and answer commit together, so a refused or failed request leaves the
 * key free. A concurrent duplicate waits for the commit and gets the same answer.
 */
export class Idempotency {
  /** Running requests by key. Duplicates in this process wait for them here, without a connection. */
  private readonly running = new Map<string, { fingerprint: Uint8Array; result: Promise<OnceResult> }>();

  constructor(
    private readonly db: Database,
    private readonly vault: SecretVault,
  ) {}

  /** Runs the effect, or returns the answer of the first request. Throws 409 if another request has used the key. */
  async once(claim: Claim, effect: Effect): Promise<OnceResult> {
    const name = `${claim.accountId} ${claim.key}`;
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const result = await first.result.catch(() => null);
      if (result && !equal(first.fingerprint, claim.fingerprint)) throw keyConflict();
      if (result) return { status: result.status, json: result.json, replayed: true };
    }
    const result = this.run(claim, effect);
    this.running.set(name, { fingerprint: claim.fingerprint, result });
    try {
      return await result;
    } finally {
      this.running.delete(name);
    }
  }

  /**
   * Reserves a key for a request of several parts, and returns the prefix of the parts' keys. So a repeat continues where the first
   * request stopped. Throws 409 if another request has used the key.
   */
  reserve(claim: Claim): Promise<string> {
    return this.db.transaction(async (sql) => {
      for (;;) {
        await claimKey(sql, claim);
        const kept = await find(sql, claim);
        if (kept && !equal(kept.fingerprint, claim.fingerprint)) throw keyConflict();
        // Clients can't send control characters, so the keys of parts never equal their keys. The time prevents a match with
        // parts of an expired request.
        if (kept) return `${claim.key}\u0001${kept.createdAt}\u0001`;
      }
    });
  }

  /** Returns the answer of the first request with the key; null if there was none. Throws 409 like `once`. */
  async earlier(claim: Claim): Promise<Answered | null> {
    const kept = await this.db.run((sql) => find(sql, claim));
    return kept && !kept.isOver ? this.recall(claim, kept) : null;
  }

  private run(claim: Claim, effect: Effect): Promise<OnceResult> {
    const attempt = async (sql: TransactionSql) => {
      // Repeats if the key expires and is deleted between claim and look-up.
      for (;;) {
        if (await claimKey(sql, claim)) return this.perform(sql, claim, effect);
        const kept = await find(sql, claim);
        if (kept) return this.recall(claim, kept);
      }
    };
    return untilNoDeadlock(() => this.db.transaction(attempt));
  }

  private async perform(sql: TransactionSql, claim: Claim, effect: Effect): Promise<OnceResult> {
    const done = await effect(sql);
    const sealed = this.vault.seal(done.json, contextOf(claim));
    await sql`
      update idempotency_keys set status = ${done.status}, response = ${sealed}
      where account_id = ${claim.accountId} and key = ${claim.key}`;
    return { ...done, replayed: false };
  }

  private recall(claim: Claim, kept: IdempotencyRow): OnceResult {
    if (!equal(kept.fingerprint, claim.fingerprint)) throw keyConflict();
    if (kept.status === null || kept.response === null) throw keyConflict();
    return { status: kept.status, json: this.vault.open(kept.response, contextOf(claim)), replayed: true };
  }
}

/**
 * Claims the key. Resolves to false if another request has it and it has not expired. Waits for an uncommitted claim.
 */
async function claimKey(sql: TransactionSql, claim: Claim): Promise<boolean> {
  const rows = await sql`
    insert into idempotency_keys as kept (account_id, key, fingerprint)
    values (${claim.accountId}, ${claim.key}, ${claim.fingerprint})
    on conflict (account_id, key) do update
      set fingerprint = excluded.fingerprint, delivery_id = null, status = null, response = null,
          created_at = excluded.created_at
      where kept.created_at <= now() - ${lifetime(sql)}
    returning 1`;
  return rows.length > 0;
}

async function find(sql: AnySql, { accountId, key }: Claim): Promise<IdempotencyRow | undefined> {
  const rows = await sql<IdempotencyRow[]>`
    select fingerprint, status, response, extract(epoch from created_at)::text as "createdAt",
      created_at <= now() - ${lifetime(sql)} as "isOver"
    from idempotency_keys
    where account_id = ${accountId} and key = ${key}`;
  return rows[0];
}

/** Returns the 409 for a key that another request has used. */
export function keyConflict() {
  return conflict(
    "This Idempotency-Key was used for a different request, or for a secret of another API key",
  );
}

/** Returns the encryption context of an answer. */
export function contextOf({ accountId, key }: Pick<Claim, "accountId" | "key">): string {
  return `idempotency ${accountId} ${key}`;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Most characters of an Idempotency-Key. */
export const MAX_KEY_LENGTH = 255;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Returns a request's Idempotency-Key, or null. */
export function idempotencyKeyOf(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || (key.length <= MAX_KEY_LENGTH && PRINTABLE.test(key))) return key;
  throw badRequest(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`);
}

/**
 * Hashes method, path and body with SHA-256. Requests with the same key are the same if their hashes are equal. With `requester`,
 * requests of another requester differ.
 */
export function fingerprintOf(method: string, path: string, body: Uint8Array, requester = ""): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(`${method} ${path}${requester}\n`).update(body).digest();
}

/** Returns the claim of a request with a key; null without one. */
export function claimOf(request: Request, path: string, body: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request.headers);
  return key === null ? null : { key, fingerprint: fingerprintOf(request.method, path, body) };
}
