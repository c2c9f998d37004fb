import type { AccountId } from "../../domain/ids";
import { Semaphore } from "../../runtime/queues/semaphore";

/** Most searches of a kind that run at once in a process. The remaining connections serve quick requests. */
export const AT_ONCE = 2;

/** Runs a search when its turn comes. Resolves to null if `signal` aborts first. */
export type SearchTurn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/**
 * Decides which account may search its deliveries next. Limits concurrent searches, with one per account at a time. An account
 * waits once in the common queue, however many searches it has.
 */
export class SearchTurns {
  private readonly common = new Semaphore(AT_ONCE);
  private readonly accounts = new Map<AccountId, Semaphore>();

  of(accountId: AccountId): SearchTurn {
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
