import type { Cell } from "./cell";

/** Figures of one run by name; units are in the names. */
export type Figures = Record<string, number>;

type Named = {
  name: string;
  /** A line for people. */
  about: string;
  /** Whether the bare pipeline can do it too. */
  isForBare: boolean;
};

/** One system after the other, each by itself. */
export type Rounds = Named & {
  /** Rounds at most, for one that takes long or whose figures are ratios already. */
  maxRounds?: number;
  /** Throws `BrokenPromise` when a delivery is missing or out of order. */
  run(cell: Cell): Promise<Figures>;
};

/**
 * Both systems are up at once and measured in short turns: whatever else the machine does falls on both alike. The stages
 * follow one another, each on all systems.
 */
export type Turns = Named & { stages(cell: Cell): readonly Stage[] };

/** Outside of its turns a system has nothing to do. */
export type Stage = {
  begin(): Promise<void>;
  /** Null when nothing is left to be measured. */
  turn(): Promise<Figures | null>;
  /** Throws `BrokenPromise` when a delivery is missing or out of order. */
  end(): Promise<void>;
};

export type Scenario = Rounds | Turns;

export function isInTurns(scenario: Scenario): scenario is Turns {
  return "stages" in scenario;
}
