const STEPS = [
  { unit: "s", ms: 1_000, below: 60 },
  { unit: "min", ms: 60_000, below: 60 },
  { unit: "h", ms: 3_600_000, below: 24 },
  { unit: "d", ms: 86_400_000, below: 30 },
] as const;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** Writes a time of the API as people say it, such as `3 min ago`; a date if it is further away than a month. Null for other texts. */
export function timeWords(text: string, now: number): string | null {
  if (!TIME.test(text)) return null;
  const distance = Date.parse(text) - now;
  const away = Math.abs(distance);
  if (away < 1_000) return "now";
  const step = STEPS.find(({ ms, below }) => Math.floor(away / ms) < below);
  if (step === undefined) return text.slice(0, "2026-01-31".length);
  const words = `${Math.floor(away / step.ms)} ${step.unit}`;
  return distance < 0 ? `${words} ago` : `in ${words}`;
}
