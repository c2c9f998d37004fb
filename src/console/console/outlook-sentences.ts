import type { Endpoint } from "../../client/types";
import { count, duration, plural } from "../shared/format";
import { at, type Sentence } from "../shared/sentence";

type Failing = Pick<Endpoint, "is_active" | "on_exhausted"> & {
  health: Pick<Endpoint["health"], "failing_since">;
};

/**
 * Says when Hermod would switch a failing endpoint off. It does so with a delivery that fails for good, once no attempt has
 * succeeded for `disableAfterMs`, and if that delivery is not the only one.
 */
export function pauseSentences(endpoint: Failing, disableAfterMs: number, now: number): readonly Sentence[] {
  const { failing_since: since } = endpoint.health;
  if (!endpoint.is_active || since === null) return [];
  if (endpoint.on_exhausted === "pause") return [["The first delivery that uses up its attempts pauses it."]];
  const from = Date.parse(since) + disableAfterMs;
  const which = "the next delivery that fails for good switches it off, if it is not the only one.";
  return from > now
    ? [["If no attempt succeeds until ", at(new Date(from).toISOString()), `, ${which}`]]
    : [["Unless an attempt succeeds, ", which]];
}

/** The backlog at the end of a step of a series. */
type BacklogPoint = Readonly<{ at: string; backlog: number }>;

/** A backlog must have fallen for this long before its pace says something. */
const LEAST_MS = 60_000;

/**
 * Says how fast a backlog falls since it was largest, and when it will be through at that pace. The last point is the present one.
 * Null if it does not fall.
 */
export function catchUpSentence(
  points: readonly BacklogPoint[],
  stepMs: number,
  now: number,
): Sentence | null {
  const left = points.at(-1)?.backlog ?? 0;
  const peak = points.reduce<BacklogPoint | null>(
    (best, each) => (best === null || each.backlog >= best.backlog ? each : best),
    null,
  );
  if (peak === null || left === 0) return null;
  const forMs = now - (Date.parse(peak.at) + stepMs);
  const fell = peak.backlog - left;
  if (fell <= 0 || forMs < LEAST_MS) return null;
  const fact = `${plural(left, "delivery is", "deliveries are")} left, ${count(fell)} fewer than ${duration(forMs)} ago`;
  return [`${fact}: at this pace it will be through in about ${aboutWords((left * forMs) / fell)}.`];
}

const SECOND = 1_000;
const UNITS_MS = [SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND];

/** Writes an estimate in one unit, rounded up: `40 s`, `12 min`, `3 h`. */
export function aboutWords(ms: number): string {
  const unit = UNITS_MS.findLast((each) => ms >= 2 * each) ?? SECOND;
  return duration(Math.ceil(ms / unit) * unit);
}
