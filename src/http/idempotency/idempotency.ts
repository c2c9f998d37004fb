import type { Database } from "../../db/database";
import { untilNoDeadlock } from "../../db/deadlock";
import { lifetime } from "../../db/idempotency-key";
import type { TransactionSql } from "../../db/pool";
import type { SecretVault } from "../../endpoints/signing-secret";
import type { AccountId } from "../../runtime/ids";
import { conflict } from "../errors";

/** What a successful request answered, as it goes over the wire. */
export type Answered = { status: number; json: string };

/** What a request did: its answer, and what others are to be told once it is committed. */
export type Done = Answered & { announce?: () => void };

/** What a request does, in the transaction its key is claimed in; it refuses by throwing. */
export type Effect = (sql: TransactionSql) => Promise<Done>;

export type Claim = { accountId: AccountId; key: string; fingerprint: Uint8Array };

type Result = (Done & { replayed: false }) | (Answered & { replayed: true });
type Kept = { fingerprint: Uint8Array; status: number | null; response: string | null; createdAt: string };

/**
 * Makes a request with a key happen once. Its claim, its effect and its answer commit together, so that a
 * refused or broken request leaves the key free; a twin waits for the first one's commit and gets its answer.
 */
export class Idempotency {
  /** Twins in this process wait here instead of each holding a connection. */
  private readonly running = new Map<string, { fingerprint: Uint8Array; result: Promise<Result> }>();

  constructor(
    private readonly db: Database,
    private readonly vault: SecretVault,
  ) {}

  /** Runs the effect, or answers what it answered before. Throws 409 when the key stands for another request. */
  async once(claim: Claim, effect: Effect): Promise<Result> {
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
   * Takes a key for a request whose parts happen one by one, each under a key of its own that begins with what this
   * gives back: so a repeat goes on where the first one broke off. Throws 409 when the key stands for another request.
   */
  reserve(claim: Claim): Promise<string> {
    return this.db.transaction(async (sql) => {
      for (;;) {
        await take(sql, claim);
        const kept = await find(sql, claim);
        if (kept && !equal(kept.fingerprint, claim.fingerprint)) throw keyConflict();
        // No client can send such a key, and no part is taken for one of a request whose day is over.
        if (kept) return `${claim.key}\u0001${kept.createdAt}\u0001`;
      }
    });
  }

  private run(claim: Claim, effect: Effect): Promise<Result> {
    const attempt = async (sql: TransactionSql) => {
      // A key that a sweep deletes between the claim and the look is free after all.
      for (;;) {
        if (await take(sql, claim)) return this.perform(sql, claim, effect);
        const kept = await find(sql, claim);
        if (kept) return this.recall(claim, kept);
      }
    };
    return untilNoDeadlock(() => this.db.transaction(attempt));
  }

  private async perform(sql: TransactionSql, claim: Claim, effect: Effect): Promise<Result> {
    const done = await effect(sql);
    const sealed = this.vault.seal(done.json, contextOf(claim));
    await sql`
      update idempotency_keys set status = ${done.status}, response = ${sealed}
      where account_id = ${claim.accountId} and key = ${claim.key}`;
    return { ...done, replayed: false };
  }

  private recall(claim: Claim, kept: Kept): Result {
    if (!equal(kept.fingerprint, claim.fingerprint)) throw keyConflict();
    if (kept.status === null || kept.response === null) throw keyConflict();
    return { status: kept.status, json: this.vault.open(kept.response, contextOf(claim)), replayed: true };
  }
}

/** True when the key is ours now: it was free, or its day is over. Waits while a twin's claim is uncommitted. */
async function take(sql: TransactionSql, claim: Claim): Promise<boolean> {
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

async function find(sql: TransactionSql, { accountId, key }: Claim): Promise<Kept | undefined> {
  const rows = await sql<Kept[]>`
    select fingerprint, status, response, extract(epoch from created_at)::text as "createdAt" from idempotency_keys
    where account_id = ${accountId} and key = ${key}`;
  return rows[0];
}

/** The 409 for a key that came before with another request. */
export function keyConflict() {
  return conflict("This Idempotency-Key was used for a different request");
}

/** The context that an answer is sealed in. */
export function contextOf({ accountId, key }: Pick<Claim, "accountId" | "key">): string {
  return `idempotency ${accountId} ${key}`;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
