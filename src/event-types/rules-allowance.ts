import type { AccountId } from "../domain/ids";
import { BoundedMap } from "../runtime/bounded-map";

/** A question that takes more CPU time counts as slow. */
export const SLOW_MS = 10;
/** Most time that an account owes for slow questions before it is judged apart. */
export const ALLOWED_MS = 50;
/** Share of the time that passes by which a debt shrinks: a slow account takes 0.5 % of the thread for all. */
export const REPAID_SHARE = 0.005;
/** Largest debt, which is repaid in five minutes. */
export const MAX_DEBT_MS = 1_500;
/** First and longest wait of an account whose rule made a thread fail. Each failure doubles the wait. */
export const FIRST_WAIT_MS = 1_000;
export const LONGEST_WAIT_MS = 60_000;
/** A failure this long after the end of a wait counts as the first again. */
export const FORGIVEN_AFTER_MS = 300_000;
/** Most accounts with a debt or a wait. */
const MAX_ACCOUNTS = 10_000;

type Debt = Readonly<{ ms: number; at: number }>;
type Wait = Readonly<{ ms: number; until: number }>;

/** Decides which accounts' rules are judged apart from others', and which must wait. Times are of a monotonic clock. */
export class RulesAllowance {
  private readonly debts = new BoundedMap<AccountId, Debt>(MAX_ACCOUNTS);
  private readonly waits = new BoundedMap<AccountId, Wait>(MAX_ACCOUNTS);

  /** Records the CPU time that an account's question took. */
  took(accountId: AccountId, ms: number, now: number): void {
    if (ms <= SLOW_MS) return;
    this.debts.set(accountId, { ms: Math.min(MAX_DEBT_MS, this.debt(accountId, now) + ms), at: now });
  }

  isApart(accountId: AccountId, now: number): boolean {
    return this.debt(accountId, now) > ALLOWED_MS;
  }

  /** Makes an account wait whose question made a thread fail. */
  failed(accountId: AccountId, now: number): void {
    const last = this.waits.get(accountId);
    const isAgain = last !== undefined && now - last.until < FORGIVEN_AFTER_MS;
    const ms = isAgain ? Math.min(LONGEST_WAIT_MS, 2 * last.ms) : FIRST_WAIT_MS;
    this.waits.set(accountId, { ms, until: now + ms });
    this.debts.set(accountId, { ms: MAX_DEBT_MS, at: now });
  }

  /** Returns how long the account must still wait; 0 if it need not. */
  waitMs(accountId: AccountId, now: number): number {
    return Math.max(0, (this.waits.get(accountId)?.until ?? now) - now);
  }

  private debt(accountId: AccountId, now: number): number {
    const { ms, at } = this.debts.get(accountId) ?? { ms: 0, at: now };
    return Math.max(0, ms - (now - at) * REPAID_SHARE);
  }
}
