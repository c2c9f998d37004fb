import { SteadyTime } from "./steady-time";

/** Time as the rest of the code may see it; tests and simulations put a virtual one in its place. */
export type Clock = {
  /** Wall clock, whole Unix milliseconds; small corrections don't turn it back. */
  now(): number;
  /** Milliseconds that never go backwards; only differences mean anything. */
  monotonic(): number;
  /** Calls `fire` once after `ms`; the returned function cancels it. */
  after(ms: number, fire: () => void): () => void;
};

/** Longest delay a timer takes (2^31-1 ms); beyond it the runtime would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

const steadyTime = new SteadyTime({ wall: () => Date.now(), monotonic: () => performance.now() });

export const systemClock: Clock = {
  now: () => steadyTime.now(),
  monotonic: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(ms, finish);
    function finish() {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
    signal?.addEventListener("abort", finish, { once: true });
  });
}

/** Resolves once `work` is over, or after `ms` with false: what is left of it then goes on unseen. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(clock, ms, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}
