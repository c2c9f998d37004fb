import type { AccountId } from "../runtime/ids";
import { Turnstile } from "../runtime/turnstile";

/** Pieces of searches of a kind under way in a process, of an account one: other connections are for what is quick. */
const AT_ONCE = 2;

/** Does a piece of work when its turn comes; null when `signal` aborted first. */
export type Turn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/** Whose turn it is to look through deliveries. An account waits in the common line once, however many searches it has. */
export class SearchTurns {
  private readonly common = new Turnstile(AT_ONCE);
  private readonly accounts = new Map<AccountId, Turnstile>();

  of(accountId: AccountId): Turn {
    return async (work, signal) => {
      const own = this.accounts.get(accountId) ?? new Turnstile(1);
      this.accounts.set(accountId, own);
      try {
        return await through(own, signal, () => through(this.common, signal, work));
      } finally {
        if (own.occupied === 0) this.accounts.delete(accountId);
      }
    };
  }
}

async function through<T>(
  turnstile: Turnstile,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | null> {
  if (!(await turnstile.enter(signal))) return null;
  try {
    return await work();
  } finally {
    turnstile.leave();
  }
}
