import { isBrokenKey } from "../accounts/authentication/api-key";
import type { Principal } from "../accounts/authentication/principal";
import { kindOfToken } from "../accounts/authentication/session-token";
import { principalOfVoucher, type Voucher } from "../accounts/authentication/voucher";
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
  clock: Clock;
}>;

type LackedToken = Readonly<{ token: string; reference: CellReference }>;
/** Null for a token that no cell vouches for: an account's own, or nobody's. Permissions never change. */
type VouchedToken = { principal: Principal | null };
type VoucherQuestion = Readonly<{ cell: string; hash: string }>;

/** A voucher is trusted for this long, like a key: revoked keys stop within five seconds everywhere. */
const TRUST_MS = 4_000;
const REFRESH_AFTER_MS = 2_000;
/** Most tokens of other cells that a process remembers. */
export const MOST_VOUCHED = 10_000;
/** Most questions to cells about administrators at a time, and most that wait. */
export const VOUCHER_QUESTIONS = { atOnce: 8, mostWaiting: 1_000 };

/** Admits administrators whose key or session is in another cell, for which that cell vouches. */
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
   * change, so that a revoked key makes none. Throws `CellsSilent` and `QueueFull`.
   */
  async admit(token: string, isChange: boolean): Promise<Principal | null> {
    const reference = lookedUp(token);
    if (reference === null) return null;
    const source = { token, reference };
    const known = this.asked.fresh(reference.text, source);
    const isEnough = known !== undefined && !(isChange && known.principal !== null);
    return (isEnough ? known : await this.asked.load(reference.text, source)).principal;
  }

  private async read({ token, reference }: LackedToken): Promise<VouchedToken> {
    const found = await this.options.directory.find(reference);
    if (found.kind === "unsure") throw new CellsSilent();
    const cell = this.options.cells.find(({ name }) => found.kind === "cell" && name === found.name);
    const voucher = cell && (await this.questions.submit({ cell: cell.name, hash: reference.text }));
    if (cell && voucher) return { principal: principalOfVoucher(voucher, token, cell) };
    // The token may be in another cell by now. The next look-up finds out.
    this.options.directory.forget(reference);
    return { principal: null };
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

/** Returns what an administrator's token is looked up by; null for other tokens, such as a portal session's or a JWT. */
function lookedUp(token: string): CellReference | null {
  const kind = kindOfToken(token);
  if (isBrokenKey(token) || (kind !== null && kind !== "console")) return null;
  const reference = referenceOfToken(token);
  return reference?.kind === "token" ? reference : null;
}
