const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

/** Parses `200ms`, `5s`, `2m`, `1h` or `5d` to milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  return Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]);
}
