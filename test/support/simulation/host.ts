import type { Clock } from "../../../src/runtime/clock";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

/** The Unix time in milliseconds at which every simulation begins. */
export const EPOCH = 1_800_000_000_000;

/** A fault of a host, which may explain its behaviour. */
export type Disturbance = { kind: "crash" | "pause" | "outage" | "failed call"; from: number; to: number };

type Happening = { isTimer: boolean; run(): void };

/** Simulates a process with its own clocks, which can be suspended, resumed, and killed. */
export class Host {
  readonly clock: Clock;
  readonly disturbances: Disturbance[] = [];
  private state: "running" | "paused" | "gone" = "running";
  /** Events that arrived while it was suspended. */
  private missed: Happening[] = [];
  private ambush: { steps: number; strike(): void } | null = null;
  private isAmbushOn = false;
  /** How long its machine was suspended before, and since when it is suspended now. */
  private suspended = { ms: 0, since: Number.POSITIVE_INFINITY };

  constructor(
    readonly name: string,
    private readonly timeline: Timeline,
    private readonly random: Random,
    /** How far its wall clock is ahead of Postgres'. */
    private skewMs: number,
  ) {
    const offset = random.between(0, 1e6);
    this.clock = {
      now: () => Math.floor(EPOCH + timeline.now + this.skewMs),
      monotonic: () => Math.min(timeline.now, this.suspended.since) - this.suspended.ms + offset,
      after: (ms, fire) => this.timer(ms, fire),
    };
  }

  get isGone(): boolean {
    return this.state === "gone";
  }

  get hasCrashed(): boolean {
    return this.disturbances.some(({ kind }) => kind === "crash");
  }

  get isRunning(): boolean {
    return this.state === "running";
  }

  /** Runs an event on the host: now, when the host is resumed, or never. */
  deliver(run: () => void): void {
    this.happen({ isTimer: false, run });
  }

  /** Suspends it like SIGSTOP: its clocks go on, and it handles missed events when it resumes. */
  pause(ms: number): void {
    if (!this.isRunning) return;
    this.state = "paused";
    this.disturbances.push({ kind: "pause", from: this.timeline.now, to: this.timeline.now + ms });
    this.timeline.after(ms, () => this.goOn());
  }

  /** Suspends its machine: the wall clock goes on, the monotonic clock does not. */
  suspend(ms: number): void {
    if (!this.isRunning) return;
    this.suspended.since = this.timeline.now;
    // Runs before the host resumes.
    this.timeline.after(ms, () => {
      this.suspended = { ms: this.suspended.ms + ms, since: Number.POSITIVE_INFINITY };
    });
    this.pause(ms);
  }

  /** Lets its wall clock jump, but not the monotonic one. */
  setClock(byMs: number): void {
    this.skewMs += byMs;
  }

  /** Causes a fault a few steps after its next attempt has begun, where it does the most harm. */
  lieInWait(steps: number, strike: () => void): void {
    this.ambush = { steps, strike };
    this.isAmbushOn = false;
  }

  beganAttempt(): void {
    this.isAmbushOn = this.ambush !== null;
  }

  /** Ends in order. */
  end(): void {
    this.state = "gone";
    this.missed = [];
  }

  crash(): void {
    this.end();
    this.disturbances.push({ kind: "crash", from: this.timeline.now, to: Number.POSITIVE_INFINITY });
  }

  /** Returns true if a fault hit it between two times. An outage of Postgres counts only if `countsOutage`. */
  wasDisturbed(from: number, to: number, countsOutage: boolean): boolean {
    return this.disturbances.some(
      (each) => each.from <= to && each.to >= from && (countsOutage || each.kind !== "outage"),
    );
  }

  private goOn(): void {
    if (this.state !== "paused") return;
    this.state = "running";
    const missed = this.missed;
    this.missed = [];
    // An event loop may handle its timers or its sockets first.
    if (this.random.chance(0.5)) missed.sort((a, b) => Number(b.isTimer) - Number(a.isTimer));
    for (const each of missed) this.timeline.after(0, () => this.happen(each));
  }

  private timer(ms: number, fire: () => void): () => void {
    let isCancelled = false;
    const run = () => {
      if (!isCancelled) fire();
    };
    const cancel = this.timeline.after(Math.max(ms, 0), () => this.happen({ isTimer: true, run }));
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  private happen(what: Happening): void {
    if (this.isRunning && this.isAmbushOn && this.ambush && this.ambush.steps-- <= 0) {
      const { strike } = this.ambush;
      this.ambush = null;
      this.isAmbushOn = false;
      strike();
    }
    if (this.state === "running") what.run();
    else if (this.state === "paused") this.missed.push(what);
  }
}
