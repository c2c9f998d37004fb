import type { EndpointId } from "../../../src/domain/ids";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

export type Mood = "well" | "slow" | "failing" | "flaky" | "hanging" | "gone";
const MOODS: readonly Mood[] = ["well", "well", "well", "slow", "failing", "flaky", "hanging", "gone"];

/** How a receiver answers a request. Null if it never does. */
export type Answer = { status: number; afterMs: number; retryAfterMs?: number | null } | null;

/** Receives an endpoint's deliveries. Its mood changes until it must be well for good. */
export class Receiver {
  private mood: Mood = "well";
  private isHealed = false;

  constructor(
    readonly endpointId: EndpointId,
    private readonly timeline: Timeline,
    private readonly random: Random,
    private readonly moodyMs: number,
  ) {
    if (moodyMs < Number.POSITIVE_INFINITY) this.changeMood();
  }

  heal(): void {
    this.isHealed = true;
    this.mood = "well";
  }

  answer(): Answer {
    const { random, mood } = this;
    const afterMs = mood === "slow" ? random.between(100, 1_500) : random.between(0.1, 20);
    if (mood === "hanging") return random.chance(0.8) ? null : { status: 200, afterMs };
    if (mood === "gone") return { status: random.chance(0.3) ? 410 : 500, afterMs };
    const fails = mood === "failing" || (mood === "flaky" && random.chance(0.5));
    if (!fails) return { status: 200, afterMs };
    return {
      status: random.pick([500, 503, 404, 429]),
      afterMs,
      retryAfterMs: random.pick([null, 300, 2_500]),
    };
  }

  private changeMood(): void {
    if (this.isHealed) return;
    this.mood = this.random.pick(MOODS);
    this.timeline.after(this.random.between(0, 2 * this.moodyMs), () => this.changeMood());
  }
}
