import { BrokenPromise, type Cell } from "./cell";
import type { Figures, Rounds, Turns } from "./scenario";
import type { SystemName } from "./system/program";

/** One run: its figures, or the promise it broke. */
export type Run = {
  scenario: string;
  system: SystemName;
  /** Its round, or its turn. */
  round: number;
  figures: Figures | null;
  broken: string | null;
};

/** Runs a round of a scenario on one system. */
export async function runRound(scenario: Rounds, cell: Cell, round: number): Promise<Run> {
  const run = { scenario: scenario.name, system: cell.system.name, round };
  const figures = await unlessBroken(cell, () => scenario.run(cell));
  return typeof figures === "string"
    ? { ...run, figures: null, broken: figures }
    : { ...run, figures, broken: null };
}

/** Runs a scenario on all systems, with `turns` turns of each stage. */
export async function* runTurns(scenario: Turns, cells: readonly Cell[], turns: number): AsyncGenerator<Run> {
  const contenders = cells.map((cell) => ({ cell, stages: scenario.stages(cell) }));
  const runOf = ({ system }: Cell, round: number) => ({
    scenario: scenario.name,
    system: system.name,
    round,
  });
  const longest = Math.max(...contenders.map(({ stages }) => stages.length));
  for (let at = 0; at < longest; at++) {
    // All at once: otherwise a held drain would time out while another system warms up.
    await Promise.all(contenders.map(({ stages }) => stages[at]?.begin()));
    for (let round = 1; round <= turns; round++) {
      // Alternates which system is first, so that what a turn leaves behind affects both.
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

/** Returns the broken promise, and stops the run's processes. */
async function unlessBroken<T>(cell: Cell, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    await cell.system.stopRoles();
    return error.message;
  }
}
