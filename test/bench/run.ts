import { BrokenPromise, type Cell } from "./cell";
import type { Figures, Rounds, Turns } from "./scenario";
import type { SystemName } from "./system/program";

/** One run: its figures, or what it did not keep. */
export type Run = {
  scenario: string;
  system: SystemName;
  /** Its round, or its turn. */
  round: number;
  figures: Figures | null;
  broken: string | null;
};

/** A round of a scenario on one system. */
export async function runRound(scenario: Rounds, cell: Cell, round: number): Promise<Run> {
  const run = { scenario: scenario.name, system: cell.system.name, round };
  const figures = await unlessBroken(cell, () => scenario.run(cell));
  return typeof figures === "string"
    ? { ...run, figures: null, broken: figures }
    : { ...run, figures, broken: null };
}

/** A scenario on all systems, so many turns of each stage. */
export async function* runTurns(scenario: Turns, cells: readonly Cell[], turns: number): AsyncGenerator<Run> {
  const contenders = cells.map((cell) => ({ cell, stages: scenario.stages(cell) }));
  const runOf = ({ system }: Cell, round: number) => ({
    scenario: scenario.name,
    system: system.name,
    round,
  });
  const longest = Math.max(...contenders.map(({ stages }) => stages.length));
  for (let at = 0; at < longest; at++) {
    // At once: a drain that is held until another has warmed up would have its attempts time out, and repeated.
    await Promise.all(contenders.map(({ stages }) => stages[at]?.begin()));
    for (let round = 1; round <= turns; round++) {
      // Who comes first changes, so that what a turn leaves to the next falls on both.
      for (const { cell, stages } of round % 2 === 0 ? contenders.toReversed() : contenders) {
        const figures = (await stages[at]?.turn()) ?? null;
        if (figures) yield { ...runOf(cell, round), figures, broken: null };
      }
    }
    const ends = contenders.map(async ({ cell, stages }) => {
      const broken = await unlessBroken(cell, async () => stages[at]?.end());
      return broken ? [{ ...runOf(cell, turns), figures: null, broken }] : [];
    });
    yield* (await Promise.all(ends)).flat();
  }
}

/** Resolves with what was broken, and then stops what runs of the system. */
async function unlessBroken<T>(cell: Cell, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    await cell.system.stopRoles();
    return error.message;
  }
}
