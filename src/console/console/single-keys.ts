import { signal } from "@preact/signals";

const COOKIE = "hermod-keys";
const KEPT_SECONDS = 31_536_000;

/**
 * True if letters and `/` work as shortcuts. People who dictate, or hit keys by accident, can switch them off (WCAG 2.1.4). The
 * choice is stored for a year.
 */
export const singleKeys = signal(!document.cookie.split("; ").includes(`${COOKIE}=off`));

export function toggleSingleKeys(): void {
  singleKeys.value = !singleKeys.value;
  const value = singleKeys.value ? "on" : "off";
  document.cookie = `${COOKIE}=${value}; path=/console; max-age=${KEPT_SECONDS}; samesite=strict`;
}
