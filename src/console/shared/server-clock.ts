import { signal } from "@preact/signals";

/** Milliseconds by which the server's clock is ahead of this machine's. */
let offset = 0;
let bestRoundTrip = Number.POSITIVE_INFINITY;

/**
 * Reads the server's time from an answer's Date header. Adds half a second, since the header has whole seconds. The quickest
 * answer is the most exact. Ignores small differences.
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

/** The server's time, updated every second while the page is visible. Countdowns use it. */
export const now = signal(serverNow());

setInterval(() => {
  if (!document.hidden) now.value = serverNow();
}, 1_000);
document.addEventListener("visibilitychange", () => {
  now.value = serverNow();
});
