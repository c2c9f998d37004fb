import { check } from "../support/faults/checker/check";
import type { Violation } from "../support/faults/checker/evidence";
import { countRepeats } from "../support/faults/checker/repeats";
import type { EventLoad } from "../support/faults/event-load";
import type { Fault } from "../support/faults/journal";
import type { Load } from "../support/faults/load";
import { until } from "../support/faults/until";
import { drawPlan, type Round } from "./plan";
import { Saboteur } from "./saboteur";
import { LEASE_MS, Stage } from "./stage";

export type RunOptions = {
  seed: number;
  seconds: number;
  /** Called with what happens. */
  note(line: string): void;
  /** Has the run end with an error. */
  interrupted?: AbortSignal;
};

export type Report = {
  seed: number;
  plan: readonly Round[];
  faults: readonly Fault[];
  sends: number;
  accepted: number;
  /** Without a definite answer. */
  unknown: number;
  received: number;
  repeats: number;
  violations: readonly Violation[];
  /** Answers that are not what the interface says. */
  misfits: readonly string[];
};

const APIS = 2;
const DISPATCHERS = 3;
/** Sends that must be accepted between two rounds, so that each one meets a service at work. */
const BETWEEN_ROUNDS = 100;

/** Draws faults from the seed, has them happen under load, and holds the end against the promises. */
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
  const events = stage.startEvents();
  const saboteur = new Saboteur(stage);
  for (const [i, round] of plan.entries()) {
    await workGoesOn(load);
    note(`round ${i + 1} of ${plan.length}: ${round.map(describe).join(", ")}`);
    await saboteur.commit(round);
  }
  await workGoesOn(load);
  await Promise.all([load.stop(), events.stop()]);
  stage.calm();
  note("the load is over: waiting for the rest");
  await stage.cluster.settled(60_000);
  return report(seed, plan, stage, load, events);
}

async function workGoesOn(load: Load): Promise<void> {
  const before = load.accepted;
  await until(() => load.accepted > before + BETWEEN_ROUNDS, { withinMs: 30_000, what: "accepted sends" });
}

function describe({ kind, index, act }: Round[number]): string {
  return kind === "api" || kind === "dispatcher" ? `${act} (${kind}-${index + 1})` : `${act} (${kind})`;
}

async function report(
  seed: number,
  plan: readonly Round[],
  stage: Stage,
  load: Load,
  events: EventLoad,
): Promise<Report> {
  const evidence = await stage.cluster.evidence([load, events]);
  const { sends, receipts, faults } = evidence;
  const isUnknown = ({ outcome }: (typeof sends)[number]) =>
    outcome.kind === "unknown" || (outcome.kind === "refused" && outcome.status >= 500);
  return {
    seed,
    plan,
    faults,
    sends: sends.length,
    accepted: load.accepted,
    unknown: sends.filter(isUnknown).length,
    received: receipts.length,
    repeats: countRepeats(receipts),
    violations: check(evidence),
    misfits: [...load.misfits, ...events.misfits],
  };
}
