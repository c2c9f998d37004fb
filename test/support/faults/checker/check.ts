import { checkAcceptance } from "./acceptance";
import { checkEvents } from "./events";
import type { Evidence, Violation } from "./evidence";
import { checkFigures } from "./figures";
import { checkNumbering } from "./numbering";
import { checkOrder } from "./order";
import { checkOverlap } from "./overlap";
import { checkRate } from "./rate";
import { checkReception } from "./reception";
import { checkRepeats } from "./repeats";

const CHECKS = [
  checkAcceptance,
  checkEvents,
  checkNumbering,
  checkOrder,
  checkOverlap,
  checkRate,
  checkRepeats,
  checkReception,
  checkFigures,
];

/** Compares all evidence of a run with the promises, and returns each violation. */
export function check(evidence: Evidence): Violation[] {
  return CHECKS.flatMap((each) => each(evidence));
}
