import type { Scenario } from "./scenario";
import { acceptDrain } from "./scenarios/accept-drain";
import { batches } from "./scenarios/batches";
import { capacity } from "./scenarios/capacity";
import { dead, outage } from "./scenarios/dead";
import { distance } from "./scenarios/distance";
import { endpoints } from "./scenarios/endpoints";
import { expiry } from "./scenarios/expiry";
import { history } from "./scenarios/history";
import { hot } from "./scenarios/hot";
import { latency } from "./scenarios/latency";
import { neighbour } from "./scenarios/neighbour";
import { processes } from "./scenarios/processes";
import { retained } from "./scenarios/retained";
import { both, fanOut, far, few, mixed } from "./scenarios/saturated";
import { soak } from "./scenarios/soak";

/** Scenarios that run by default. */
export const STANDARD: readonly Scenario[] = [acceptDrain, both];

export const SCENARIOS: readonly Scenario[] = [
  ...STANDARD,
  capacity,
  latency,
  hot,
  batches,
  distance,
  few,
  far,
  fanOut,
  mixed,
  neighbour,
  endpoints,
  processes,
  history,
  retained,
  soak,
  expiry,
  dead,
  outage,
];
