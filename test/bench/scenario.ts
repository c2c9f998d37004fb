import type { Cell } from "./cell";

/** Figures of one run by name. Units are in the names. */
export type Figures = Record<string, number>;

type Named = {
  name: string;
  /** A line that describes it. */
  about: string;
  /** True if the bare pipeline can do it too. */
  isForBare: boolean;
};

/** Runs the systems one after the other, each alone. */
export type Rounds = Named & {
  /** The limit of rounds, for a scenario that takes long or whose figures are ratios. */
  maxRounds?: number;
  /** Throws `BrokenPromise` if a delivery is missing or out of order. */
  run(cell: Cell): Promise<Figures>;
};

/**
 * Runs both systems at once and measures them in short turns, so that other load on the machine affects both. The stages
 * follow one another, each on all systems.
 */
export type Turns = Named & { stages(cell: Cell): readonly Stage[] };

/** Outside of its turns a system is idle. */
export type Stage = {
  begin(): Promise<void>;
  /** Null once everything is measured. */
  turn(): Promise<Figures | null>;
  /** Throws `BrokenPromise` if a delivery is missing or out of order. */
  end(): Promise<void>;
};

export type Scenario = Rounds | Turns;

export function isInTurns(scenario: Scenario): scenario is Turns {
  return "stages" in scenario;
}
