import { Random } from "../support/faults/random";

/** The faults for each kind of target. */
const ACTS = {
  api: ["kill", "terminate", "stall"],
  dispatcher: [
    "kill",
    "terminate",
    "stall",
    "cut from Postgres",
    "silence from Postgres",
    "half-open to Postgres",
    "cut from NATS",
    "silence from NATS",
  ],
  postgres: ["kill", "stop", "terminate backends", "read-only", "read-only sessions"],
  nats: [
    "kill",
    "stop",
    "empty",
    "restore an old store",
    "delete stream",
    "delete consumers",
    "reconfigure stream",
    "meddle with messages",
  ],
  everything: ["kill"],
} as const;

export type TargetKind = keyof typeof ACTS;
export type Act = (typeof ACTS)[TargetKind][number];

export type PlannedFault = Readonly<{
  kind: TargetKind;
  /** The target among those of its kind, from 0. */
  index: number;
  act: Act;
  /** Milliseconds from the start of the round. */
  afterMs: number;
  lastsMs: number;
}>;

/** Faults that happen together. Everything recovers before the next round. */
export type Round = readonly PlannedFault[];

export type PlanOptions = {
  seed: number;
  seconds: number;
  apis: number;
  dispatchers: number;
  leaseMs: number;
};

/** About how many seconds a round takes, with its recovery. */
const ROUND_SECONDS = 5;
const MOST_IN_ROUND = 3;
/** One round in this many ends all processes at once. */
const EVERYTHING_EVERY = 6;
const SPREAD_MS = 1_500;

/** Draws the faults of a run from the seed alone. */
export function drawPlan(options: PlanOptions): Round[] {
  const random = new Random(options.seed);
  const rounds = Math.max(1, Math.floor(options.seconds / ROUND_SECONDS));
  return Array.from({ length: rounds }, () => drawRound(random, options));
}

function drawRound(random: Random, options: PlanOptions): Round {
  if (random.below(EVERYTHING_EVERY) === 0) {
    return [{ kind: "everything", index: 0, act: "kill", afterMs: random.below(SPREAD_MS), lastsMs: 0 }];
  }
  const targets = targetsOf(options);
  return Array.from({ length: 1 + random.below(MOST_IN_ROUND) }, () => {
    // Never draws a target twice, since a stalled process can't be stopped in order.
    const [target] = targets.splice(random.below(targets.length), 1);
    if (!target) throw new Error("more faults than targets");
    return drawFault(random, target, options);
  });
}

type Target = Pick<PlannedFault, "kind" | "index">;

function targetsOf({ apis, dispatchers }: PlanOptions): Target[] {
  const some = (kind: TargetKind, count: number) =>
    Array.from({ length: count }, (_, index): Target => ({ kind, index }));
  return [
    ...some("api", apis),
    ...some("dispatcher", dispatchers),
    ...some("postgres", 1),
    ...some("nats", 1),
  ];
}

function drawFault(random: Random, target: Target, { leaseMs }: PlanOptions): PlannedFault {
  const act = random.pick<Act>(ACTS[target.kind]);
  const afterMs = random.below(SPREAD_MS);
  // Times around the length of a lease decide whether others take over.
  const lastsMs = leaseMs * random.pick([0.5, 1, 1.5, 3]);
  return { ...target, act, afterMs, lastsMs };
}
