import { expect, test } from "bun:test";
import fc from "fast-check";
import { PLAIN, secretsAt } from "../../src/dispatch/endpoint";
import type { EarlierSecret } from "../../src/domain/tuning";
import { earlierAfter, MAX_EARLIER_SECRETS } from "../../src/endpoints/secret-rotation";

/** Successive rotations as [milliseconds since the one before, overlap in milliseconds]. */
const rotations = fc.array(fc.tuple(fc.nat(2_000), fc.nat(3_000)), { minLength: 1, maxLength: 8 });

type History = { made: number[]; overlaps: number[]; earlier: EarlierSecret[]; now: number };

/** Secret 0 is the first. Rotation n makes secret n. */
function play(steps: [number, number][]): History {
  const history: History = { made: [0], overlaps: [], earlier: [], now: 0 };
  for (const [wait, overlap] of steps) {
    history.now += wait;
    const replaced = String(history.made.length - 1);
    history.earlier = earlierAfter(replaced, history.earlier, history.now, overlap);
    history.made.push(history.now);
    history.overlaps.push(overlap);
  }
  return history;
}

/** By the rule as documented: until the least end of the overlaps of all rotations since it was replaced. */
function signsAt({ made, overlaps }: History, secret: number, at: number): boolean {
  const ends = overlaps.map((overlap, i) => (made[i + 1] ?? 0) + overlap).slice(secret);
  return made.length - 1 - secret <= MAX_EARLIER_SECRETS && ends.every((end) => at < end);
}

test("a replaced secret signs until the first end of an overlap since, if it is among the last two", () => {
  const check = fc.property(rotations, fc.nat(4_000), (steps, later) => {
    const history = play(steps);
    const at = history.now + later;
    const newest = history.made.length - 1;
    const view = {
      ...PLAIN,
      revision: 1,
      url: "",
      secrets: [String(newest)],
      expiringSecrets: history.earlier.map(({ sealed, until }) => ({ secret: sealed, until })),
    };
    const expected = history.made.map((_, i) => newest - i).filter((each) => signsAt(history, each, at));
    expect(secretsAt(view, at)).toEqual([
      String(newest),
      ...expected.filter((each) => each !== newest).map(String),
    ]);
  });
  fc.assert(check, { numRuns: 2_000 });
});

test("an expired secret is not kept", () => {
  const check = fc.property(rotations, (steps) => {
    const { earlier, now } = play(steps);
    expect(earlier.length).toBeLessThanOrEqual(MAX_EARLIER_SECRETS);
    for (const { until } of earlier) expect(until).toBeGreaterThan(now);
  });
  fc.assert(check);
});
