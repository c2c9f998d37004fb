export type UntilOptions = { withinMs?: number; pollMs?: number; what?: string | (() => string) };

/**
 * Calls `ask` until its answer is truthy, and resolves with that. Ignores errors meanwhile. Gives up after a minute, which only ends
 * a broken test: give less time only where a promise says so.
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<NonNullable<T>> {
  const { withinMs = 60_000, pollMs = 10, what = `${ask}` } = options;
  const deadline = performance.now() + withinMs;
  let failure: unknown = null;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      failure = null;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline)
      throw tooLate(typeof what === "string" ? what : what(), withinMs, failure);
    await Bun.sleep(pollMs);
  }
}

function tooLate(what: string, withinMs: number, cause: unknown): Error {
  return new Error(`${what}: not within ${withinMs} ms`, { cause });
}
