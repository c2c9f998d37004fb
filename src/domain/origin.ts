/**
 * True if two URLs of endpoints lead to one receiver: same scheme, host and port, or the same address of an e-mail. Null: its
 * receiver reads.
 */
export function isSameOrigin(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  const [a, b] = [new URL(one), new URL(other)];
  // Each e-mail address has the same opaque origin.
  return a.origin === b.origin && (a.origin !== "null" || a.href === b.href);
}
