import type { Clock } from "../../../src/runtime/clock";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

/** The Unix time at which every simulation begins, milliseconds. */
export const EPOCH = 1_800_000_000_000;

/** Something that befell a host and may explain what it did. */
export type Disturbance = { kind: "crash" | "pause" | "outage" | "failed call"; from: number; to: number };

type Happening = { isTimer: boolean; run(): void };

/** A process: it has its own clocks, may be suspended and resumed, and may vanish. */
export class Host {
  readonly clock: Clock;
  readonly disturbances: Disturbance[] = [];
  private state: "running" | "paused" | "gone" = "running";
  /** What reached it while it was suspended. */
  private missed: Happening[] = [];
  private ambush: { steps: number; strike(): void } | null = null;
  private isAmbushOn = false;
  /** How long its machine was suspended, and since when it is, if it is. */
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

  /** Has the host do something: now, when it goes on, or never. */
  deliver(run: () => void): void {
    this.happen({ isTimer: false, run });
  }

  /** Is suspended as after SIGSTOP: its clocks go on, and it finds what it missed when it does. */
  pause(ms: number): void {
    if (!this.isRunning) return;
    this.state = "paused";
    this.disturbances.push({ kind: "pause", from: this.timeline.now, to: this.timeline.now + ms });
    this.timeline.after(ms, () => this.goOn());
  }

  /** Is suspended with its machine: its wall clock goes on, its monotonic one does not. */
  suspend(ms: number): void {
    if (!this.isRunning) return;
    this.suspended.since = this.timeline.now;
    // Before it goes on.
    this.timeline.after(ms, () => {
      this.suspended = { ms: this.suspended.ms + ms, since: Number.POSITIVE_INFINITY };
    });
    this.pause(ms);
  }

  /** Its wall clock jumps, and the monotonic one does not. */
  setClock(byMs: number): void {
    this.skewMs += byMs;
  }

  /** Has something befall it a few steps after its next attempt has begun, where it hurts most. */
  lieInWait(steps: number, strike: () => void): void {
    this.ambush = { steps, strike };
    this.isAmbushOn = false;
  }

  beganAttempt(): void {
    this.isAmbushOn = this.ambush !== null;
  }

  /** Ends in good order. */
  end(): void {
    this.state = "gone";
    this.missed = [];
  }

  crash(): void {
    this.end();
    this.disturbances.push({ kind: "crash", from: this.timeline.now, to: Number.POSITIVE_INFINITY });
  }

  /** True when something befell it between two times; an outage of Postgres only if that counts. */
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
    // An event loop may look at its timers or at its sockets first.
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
