/** Resolves as soon as the condition holds; rejects when it does not within two seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 2_000;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`never came true: ${condition}`);
    await Bun.sleep(5);
  }
}
