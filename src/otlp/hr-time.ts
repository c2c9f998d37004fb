import type { HrTime } from "@opentelemetry/api";

/** Converts milliseconds to seconds and nanoseconds. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1_000_000)];
}
