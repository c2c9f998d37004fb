/** True if two URLs of endpoints lead to one receiver: same scheme, host and port, or the same address of an e-mail. */
export function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  // Each e-mail address has the same opaque origin.
  return a.origin === b.origin && (a.origin !== "null" || a.href === b.href);
}
