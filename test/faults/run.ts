import { check } from "../support/faults/checker/check";
import type { Violation } from "../support/faults/checker/evidence";
import { countRepeats } from "../support/faults/checker/repeats";
import type { EventLoad } from "../support/faults/event-load";
import type { Fault } from "../support/faults/journal";
import type { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { drawPlan, type Round } from "./plan";
import type { Rests } from "./rests";
import { Saboteur } from "./saboteur";
import { LEASE_MS, Stage } from "./stage";

export type RunOptions = {
  seed: number;
  seconds: number;
  /** Called for each step of the run. */
  note(line: string): void;
  /** Makes the run end with an error. */
  interrupted?: AbortSignal;
};

export type Report = {
  seed: number;
  plan: readonly Round[];
  faults: readonly Fault[];
  sends: number;
  /** Accepted sends that are due at once. */
  accepted: number;
  scheduled: number;
  events: number;
  /** Deliveries of events that endpoints had missed. */
  brought: number;
  /** Sends without a definite answer. */
  unknown: number;
  received: number;
  repeats: number;
  violations: readonly Violation[];
  /** Answers that the published interface does not allow. */
  misfits: readonly string[];
};

const APIS = 2;
const DISPATCHERS = 3;
/** Sends that must be accepted between two rounds, so that each round meets a working service. */
const BETWEEN_ROUNDS = 100;
/** The longest time that endpoints are inactive in a round. */
const MOST_REST_MS = 3_000;

/** Draws faults from the seed, causes them under load, and checks the promises at the end. */
export async function runFaults(options: RunOptions): Promise<Report> {
  const { seed, seconds, interrupted } = options;
  const plan = drawPlan({ seed, seconds, apis: APIS, dispatchers: DISPATCHERS, leaseMs: LEASE_MS });
  await using stage = await Stage.set(seed, APIS, DISPATCHERS);
  const broken = new Promise<never>((_, reject) => {
    interrupted?.addEventListener("abort", () => reject(new Error("interrupted")));
  });
  return await Promise.race([broken, play(options, plan, stage)]);
}

async function play({ seed, note }: RunOptions, plan: readonly Round[], stage: Stage): Promise<Report> {
  const load = stage.startLoad();
  const scheduled = stage.startScheduled();
  const events = stage.startEvents();
  const rests = stage.rests();
  const saboteur = new Saboteur(stage);
  const random = new Random(seed + 2);
  for (const [i, round] of plan.entries()) {
    await workGoesOn(load);
    note(`round ${i + 1} of ${plan.length}: ${round.map(describe).join(", ")}`);
    await Promise.all([saboteur.commit(round), rests.rest(random.below(MOST_REST_MS))]);
  }
  await workGoesOn(load);
  await Promise.all([load.stop(), scheduled.stop(), events.stop()]);
  stage.calm();
  note("the load is over: waiting for the rest");
  await rests.bringAll();
  events.brought(rests.skipping);
  await stage.cluster.settled(60_000);
  return report(seed, plan, stage, { load, scheduled, events, rests });
}

async function workGoesOn(load: Load): Promise<void> {
  const before = load.accepted;
  await until(() => load.accepted > before + BETWEEN_ROUNDS, { what: "accepted sends" });
}

function describe({ kind, index, act }: Round[number]): string {
  return kind === "api" || kind === "dispatcher" ? `${act} (${kind}-${index + 1})` : `${act} (${kind})`;
}

type Played = { load: Load; scheduled: Load; events: EventLoad; rests: Rests };

async function report(
  seed: number,
  plan: readonly Round[],
  stage: Stage,
  { rests, ...loads }: Played,
): Promise<Report> {
  const all = Object.values(loads);
  const evidence = await stage.cluster.evidence(all);
  const { sends, receipts, faults, ledger } = evidence;
  const isUnknown = ({ outcome }: (typeof sends)[number]) =>
    outcome.kind === "unknown" || (outcome.kind === "refused" && outcome.status >= 500);
  return {
    seed,
    plan,
    faults,
    sends: sends.length,
    accepted: loads.load.accepted,
    scheduled: loads.scheduled.accepted,
    events: loads.events.accepted,
    brought: rests.brought,
    unknown: sends.filter(isUnknown).length,
    received: receipts.length,
    repeats: countRepeats(receipts),
    violations: [...check(evidence), ...rests.missed(ledger)],
    misfits: all.flatMap(({ misfits }) => misfits),
  };
}
