/** Resolves once the condition holds. Rejects after `ms` milliseconds (two seconds unless given). */
export async function eventually(condition: () => boolean, ms = 2_000): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`never came true: ${condition}`);
    await Bun.sleep(5);
  }
}
