import { expect, test } from "bun:test";
import { drawPlan, type PlanOptions } from "./plan";

const OPTIONS: PlanOptions = { seed: 1, seconds: 60, apis: 2, dispatchers: 3, leaseMs: 2_000 };

test("a seed always draws the same faults, and another seed draws others", () => {
  expect(drawPlan(OPTIONS)).toEqual(drawPlan(OPTIONS));
  expect(drawPlan(OPTIONS)).not.toEqual(drawPlan({ ...OPTIONS, seed: 2 }));
});

test("a shorter run is the beginning of a longer one", () => {
  expect(drawPlan(OPTIONS).slice(0, 3)).toEqual(drawPlan({ ...OPTIONS, seconds: 15 }));
});

test("no round harms a target twice, and a long run harms every target in every way", () => {
  const rounds = drawPlan({ ...OPTIONS, seconds: 5_000 });
  for (const round of rounds) {
    const targets = round.map(({ kind, index }) => `${kind} ${index}`);
    expect(new Set(targets).size).toBe(targets.length);
  }
  const acts = new Set(rounds.flat().map(({ kind, act }) => `${kind}: ${act}`));
  expect(acts.size).toBe(25);
});
