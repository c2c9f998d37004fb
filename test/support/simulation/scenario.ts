import { type ChannelFaults, noChannelFaults } from "./channel";
import { type LinkFaults, noLinkFaults } from "./postgres-link";
import type { Random } from "./random";

/** `suspend` suspends the machine, and its monotonic clock with it. */
export type Fate = "crash" | "stop" | "pause" | "suspend";

/** A fault at a moment of the run. Its victim is drawn when it happens. */
export type Happening =
  | { kind: "deliveries"; count: number }
  | { kind: "join" }
  | { kind: "dispatcher"; fate: Fate; ms: number }
  | { kind: "postgres away" | "stream away"; ms: number }
  /** Postgres' clock, which decides when leases end, jumps ahead or back. */
  | { kind: "postgres clock"; ms: number }
  | { kind: "deactivate" | "activate" | "delete" | "reorder" | "cancel" | "retry" };

export type Scenario = {
  dispatchers: number;
  partitions: number;
  endpoints: number;
  ttlMs: number;
  sweepIntervalMs: number;
  attemptTimeoutMs: number;
  waitsToSendMs: number;
  schedule: readonly number[];
  pageSize: number;
  /** The payload characters that a dispatcher may hold in memory. */
  room: number;
  /** How long actors without work are kept. */
  passivateAfterMs: number;
  /** The share of endpoints with a rate limit. */
  limited: number;
  /** The share of endpoints that are not ordered at first. */
  reordered: number;
  /** The share of endpoints that are set inactive when a delivery has used up its schedule. */
  pausing: number;
  /** How long a receiver stays in a mood on average. */
  moodyMs: number;
  skewMs: number;
  link: LinkFaults;
  channel: ChannelFaults;
  happenings: readonly { at: number; what: Happening }[];
  /** When all faults end. */
  healedAt: number;
};

/** Kinds of trouble that can be switched off. */
export type Trouble =
  | "crash"
  | "pause"
  | "suspend"
  | "stop"
  | "join"
  | "postgres away"
  | "postgres clock"
  | "failing calls"
  | "late calls"
  /** Calls that release a partition are late as well. */
  | "late releases"
  /** Attempts wait between the actor's check and their send, as for a slot or a DNS lookup. */
  | "waits to send"
  | "stream"
  | "moods"
  | "changes"
  /** Endpoints have rate limits. */
  | "limits"
  /** Endpoints are ordered by key or unordered, and change that. */
  | "orderings"
  /** Endpoints are set inactive when a delivery has used up its schedule. */
  | "pausing"
  /** Waits for retries are ended on request. */
  | "retries"
  /** Dispatchers have little or no free memory for waiting deliveries. */
  | "little room"
  | "skew";

export const COMMON_TROUBLE: readonly Trouble[] = [
  "crash",
  "pause",
  "suspend",
  "stop",
  "join",
  "postgres away",
  "postgres clock",
  "failing calls",
  "late calls",
  "late releases",
  "stream",
  "moods",
  "changes",
  "skew",
  "waits to send",
  "limits",
  "orderings",
  "pausing",
  "little room",
  "retries",
];

const TROUBLED_MS = 20_000;
const TTL_MS = 3_000;

/** Draws a scenario. Each kind of trouble is in about half of them, so that they meet in every combination. */
export function drawScenario(random: Random, allowed: readonly Trouble[]): Scenario {
  const has = new Set(allowed.filter(() => random.chance(0.5)));
  const if_ = <T>(trouble: Trouble, draw: () => T, otherwise: T): T =>
    has.has(trouble) ? draw() : otherwise;
  return {
    dispatchers: random.whole(1, 3),
    partitions: random.whole(1, 4),
    endpoints: random.whole(1, 5),
    ttlMs: TTL_MS,
    sweepIntervalMs: 1_500,
    attemptTimeoutMs: random.pick([1_000, 5_000]),
    waitsToSendMs: if_("waits to send", () => 2 * TTL_MS, 0),
    schedule: random.pick([[200, 1_000], [100, 500, 2_000], [50]]),
    pageSize: random.pick([1, 2, 5, 32]),
    room: if_("little room", () => random.pick([0, 2_000]), Number.POSITIVE_INFINITY),
    passivateAfterMs: random.pick([100, 1_000, 10_000]),
    limited: if_("limits", () => 0.5, 0),
    reordered: if_("orderings", () => 0.7, 0),
    pausing: if_("pausing", () => 0.5, 0),
    moodyMs: if_("moods", () => random.between(500, 5_000), Number.POSITIVE_INFINITY),
    skewMs: if_("skew", () => random.between(0, 2_000), 0),
    link: linkFaults(random, has),
    channel: if_("stream", () => channelFaults(random), noChannelFaults),
    happenings: drawHappenings(random, has),
    healedAt: TROUBLED_MS,
  };
}

function linkFaults(random: Random, has: ReadonlySet<Trouble>): LinkFaults {
  const faults = { ...noLinkFaults, slow: random.pick([0, 0.2]) };
  if (has.has("failing calls")) {
    faults.refused = random.pick([0, 0.1, 0.3]);
    faults.unknown = random.pick([0, 0.1, 0.3]);
  }
  faults.lateGivingUp = has.has("late releases");
  if (has.has("late calls") || faults.lateGivingUp) faults.late = random.pick([0.05, 0.2]);
  return faults;
}

function channelFaults(random: Random): ChannelFaults {
  return {
    lost: random.pick([0, 0.1, 0.5, 1]),
    repeated: random.pick([0, 0.2, 1]),
    delayed: random.pick([0, 0.2, 0.8]),
    large: random.pick([0, 0.1]),
  };
}

function drawHappenings(random: Random, has: ReadonlySet<Trouble>): { at: number; what: Happening }[] {
  const happenings: { at: number; what: Happening }[] = [];
  const add = (most: number, draw: () => Happening) => {
    for (let i = random.whole(0, most); i > 0; i--)
      happenings.push({ at: random.between(0, TROUBLED_MS), what: draw() });
  };
  for (let i = 0; i < 10; i++) add(5, () => ({ kind: "deliveries", count: random.pick([1, 1, 2, 5, 10]) }));
  if (random.chance(0.1)) add(1, () => ({ kind: "deliveries", count: 100 }));
  const ifHas = (trouble: Trouble, most: number, draw: () => Happening) =>
    has.has(trouble) && add(most, draw);
  ifHas("crash", 3, () => ({ kind: "dispatcher", fate: "crash", ms: 0 }));
  ifHas("stop", 2, () => ({ kind: "dispatcher", fate: "stop", ms: 0 }));
  ifHas("join", 2, () => ({ kind: "join" }));
  const standstill = (fate: Fate) => () => ({
    kind: "dispatcher" as const,
    fate,
    ms: TTL_MS * random.pick([0.5, 1, 3]),
  });
  ifHas("pause", 3, standstill("pause"));
  ifHas("suspend", 3, standstill("suspend"));
  ifHas("postgres away", 2, () => ({ kind: "postgres away", ms: random.between(100, 3 * TTL_MS) }));
  ifHas("postgres clock", 2, () => ({
    kind: "postgres clock",
    ms: TTL_MS * random.pick([-1_000, -3, -0.8, 0.2, 0.8, 2, 1_000]),
  }));
  ifHas("stream", 2, () => ({ kind: "stream away", ms: random.between(100, 10_000) }));
  ifHas("changes", 6, () => ({
    kind: random.pick(["deactivate", "deactivate", "activate", "activate", "delete"]),
  }));
  ifHas("pausing", 10, () => ({ kind: "activate" }));
  ifHas("orderings", 3, () => ({ kind: "reorder" }));
  ifHas("changes", 3, () => ({ kind: "cancel" }));
  ifHas("retries", 20, () => ({ kind: "retry" }));
  return happenings;
}
