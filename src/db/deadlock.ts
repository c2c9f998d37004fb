import { isRetryable } from "./pool";

const MAX_TRIES = 5;

/** Repeats a transaction that Postgres aborted because of others. */
export async function untilNoDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= MAX_TRIES || !isRetryable(error)) throw error;
    }
  }
}
