import type { Cell } from "./cell";
import type { SystemName } from "./system/program";

/** Figures of one run by name; units are in the names. */
export type Figures = Record<string, number>;

export type Scenario = {
  name: string;
  /** A line for people. */
  about: string;
  systems: readonly SystemName[];
  /** Rounds at most, for one that takes long or whose figures are ratios already. */
  maxRounds?: number;
  /** Throws `BrokenPromise` when a delivery is missing or out of order. */
  run(cell: Cell): Promise<Figures>;
};
