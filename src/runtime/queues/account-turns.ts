import type { AccountId } from "../../domain/ids";
import { Semaphore } from "./semaphore";

/** Does a piece of work when its turn comes; null if `signal` aborted first. */
export type Turn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/**
 * Limits concurrent work, with one piece per account at a time. An account waits once in the common line, however much
 * it wants.
 */
export class AccountTurns {
  private readonly common: Semaphore;
  private readonly accounts = new Map<AccountId, Semaphore>();

  constructor(atOnce: number) {
    this.common = new Semaphore(atOnce);
  }

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
