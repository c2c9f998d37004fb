import { signal } from "@preact/signals";

/** How far the server's clock is ahead of this machine's, in milliseconds. */
let offset = 0;
let bestRoundTrip = Number.POSITIVE_INFINITY;

/**
 * Learns the server's time from an answer's Date header. It has whole seconds, so half a second is added; the quickest
 * answer is the most exact. Small differences are left alone.
 */
export function readDate(header: string | null, sentAt: number): void {
  if (header === null) return;
  const roundTrip = performance.now() - sentAt;
  if (roundTrip >= bestRoundTrip) return;
  bestRoundTrip = roundTrip;
  const found = Date.parse(header) + 500 + roundTrip / 2 - Date.now();
  offset = Math.abs(found) < 1_500 ? 0 : found;
}

export function serverNow(): number {
  return Date.now() + offset;
}

/** The server's time, moved on every second while the page is visible. Countdowns depend on it. */
export const now = signal(serverNow());

setInterval(() => {
  if (!document.hidden) now.value = serverNow();
}, 1_000);
document.addEventListener("visibilitychange", () => {
  now.value = serverNow();
});
