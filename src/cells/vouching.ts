import { isBrokenKey } from "../accounts/authentication/api-key";
import type { JwtVerifier } from "../accounts/authentication/jwt";
import type { Principal } from "../accounts/authentication/principal";
import { kindOfToken } from "../accounts/authentication/session-token";
import { principalOfClaims, principalOfVoucher, type Voucher } from "../accounts/authentication/voucher";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import { Batcher } from "../runtime/queues/batcher";
import type { StreamConnection } from "../stream/connection";
import type { CellAddress } from "./cell-list";
import type { CellDirectory } from "./directory";
import { CellsSilent } from "./own-cell";
import { type CellReference, referenceOfToken } from "./reference";
import { askForVoucher, type VoucherKey } from "./voucher-questions";

export type VouchingOptions = Readonly<{
  connection: Pick<StreamConnection, "live">;
  directory: Pick<CellDirectory, "find" | "forget">;
  cells: readonly CellAddress[];
  key: VoucherKey;
  /** Null to refuse JWTs. */
  jwt: Pick<JwtVerifier, "verify"> | null;
  clock: Clock;
}>;

type LackedToken = Readonly<{ token: string; hash: string; reference: CellReference }>;
/** Null for an account's own token, or nobody's. Permissions never change. */
type VouchedToken = { principal: Principal | null };
type VoucherQuestion = Readonly<{ cell: string; hash: string }>;

/** A voucher is trusted for this long, like a key: revoked keys stop within five seconds everywhere. */
const TRUST_MS = 4_000;
const REFRESH_AFTER_MS = 2_000;
/** Most tokens of other cells that a process remembers. */
export const MOST_VOUCHED = 10_000;
/** Most questions to cells about administrators at a time, and most that wait. */
export const VOUCHER_QUESTIONS = { atOnce: 8, mostWaiting: 1_000 };

/** Admits administrators whose key, session or account is in another cell. */
export class Vouching {
  private readonly asked: FreshCache<string, LackedToken, VouchedToken>;
  private readonly questions: Batcher<VoucherQuestion, Voucher | null>;

  constructor(private readonly options: VouchingOptions) {
    this.asked = new FreshCache({
      clock: options.clock,
      read: (_, lacked) => this.read(lacked),
      trustMs: TRUST_MS,
      refreshAfterMs: REFRESH_AFTER_MS,
      maxEntries: MOST_VOUCHED,
    });
    this.questions = new Batcher({
      run: (questions) => Promise.all(questions.map((question) => this.ask(question))),
      maxItems: 1,
      maxRunning: VOUCHER_QUESTIONS.atOnce,
      maxQueued: VOUCHER_QUESTIONS.mostWaiting,
    });
  }

  /**
   * Returns the administrator of a token that this cell lacks; null if it is not one of another cell. Asks that cell before each
   * change, so that a revoked key makes none. Throws `CellsSilent`, `QueueFull` and `KeySetUnavailable`.
   */
  async admit(token: string, isChange: boolean): Promise<Principal | null> {
    const reference = lookedUp(token);
    if (reference === null) return null;
    const lacked = { token, reference, hash: Bun.SHA256.hash(token, "hex") };
    const known = this.asked.fresh(lacked.hash, lacked);
    const isEnough = known !== undefined && !(isChange && known.principal !== null);
    // A question that is under way may have been answered before the key was revoked.
    if (isChange && !isEnough) this.asked.forget(lacked.hash);
    const { principal } = isEnough ? known : await this.asked.load(lacked.hash, lacked);
    const ends = [principal?.expiresAt, principal?.session?.endsAt];
    const isOver = ends.some((at) => at != null && at <= this.options.clock.now());
    return isOver ? null : principal;
  }

  private async read(lacked: LackedToken): Promise<VouchedToken> {
    const principal = await (lacked.reference.kind === "token" ? this.ofToken(lacked) : this.ofJwt(lacked));
    return { principal };
  }

  private async ofToken({ token, reference, hash }: LackedToken): Promise<Principal | null> {
    const cell = await this.homeOf(reference);
    const voucher = cell && (await this.questions.submit({ cell: cell.name, hash }));
    if (cell && voucher) return principalOfVoucher(voucher, token, cell);
    // The token may be in another cell by now. The next look-up finds out.
    this.options.directory.forget(reference);
    return null;
  }

  /** A JWT needs no voucher: each cell checks its signature. Only its account is in another cell. */
  private async ofJwt({ token, reference }: LackedToken): Promise<Principal | null> {
    const claims = (await this.options.jwt?.verify(token)) ?? null;
    if (!claims?.permissions.has("accounts:act")) return null;
    const cell = await this.homeOf(reference);
    return cell && principalOfClaims(claims, cell);
  }

  private async homeOf(reference: CellReference): Promise<CellAddress | null> {
    const found = await this.options.directory.find(reference);
    if (found.kind === "unsure") throw new CellsSilent();
    return this.options.cells.find(({ name }) => found.kind === "cell" && name === found.name) ?? null;
  }

  private async ask({ cell, hash }: VoucherQuestion): Promise<Voucher | null> {
    const { connection, key } = this.options;
    try {
      if (connection.live !== null) return await askForVoucher({ nats: connection.live, key }, cell, hash);
    } catch {
      // Counts as silent, like a cell that can't be asked.
    }
    throw new CellsSilent();
  }
}

/** Returns what an administrator's token is looked up by; null for other tokens, such as a portal session's. */
function lookedUp(token: string): CellReference | null {
  const kind = kindOfToken(token);
  return isBrokenKey(token) || (kind !== null && kind !== "console") ? null : referenceOfToken(token);
}
