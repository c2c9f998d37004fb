import type { AccountId } from "../runtime/ids";
import { Semaphore } from "../runtime/semaphore";

/** Pieces of searches of a kind under way in a process, of an account one: other connections are for what is quick. */
const AT_ONCE = 2;

/** Does a piece of work when its turn comes; null when `signal` aborted first. */
export type Turn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/** Whose turn it is to look through deliveries. An account waits in the common line once, however many searches it has. */
export class SearchTurns {
  private readonly common = new Semaphore(AT_ONCE);
  private readonly accounts = new Map<AccountId, Semaphore>();

  of(accountId: AccountId): Turn {
    return async (work, signal) => {
      const own = this.accounts.get(accountId) ?? new Semaphore(1);
      this.accounts.set(accountId, own);
      try {
        return await through(own, signal, () => through(this.common, signal, work));
      } finally {
        if (own.isFree) this.accounts.delete(accountId);
      }
    };
  }
}

async function through<T>(
  semaphore: Semaphore,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | null> {
  if (!(await semaphore.acquire(signal))) return null;
  try {
    return await work();
  } finally {
    semaphore.release();
  }
}
