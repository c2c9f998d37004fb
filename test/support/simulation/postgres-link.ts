import type { Host } from "./host";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

/** How calls of Postgres fail. Each number is the probability per call. */
export type LinkFaults = {
  /** An error, and nothing was done. */
  refused: number;
  /** An error, although the work was done. */
  unknown: number;
  /** An error, and the work is done only after the caller has given up. */
  late: number;
  /** Calls that release something may be late too. */
  lateGivingUp: boolean;
  /** An answer that takes long. */
  slow: number;
};

/** A call that its caller considers failed, and until when it may still take effect. */
export type Fault = { kind: "outage" | "failed call"; until: number };

export type CallOptions = {
  onFault?(fault: Fault): void;
  /** The call releases something. */
  isGivingUp?: boolean;
  /** How long its caller waits for an answer. */
  timeoutMs?: number;
};

const QUERY_TIMEOUT_MS = 1_000;
const SLOW_MS = 900;
const LATE_MS = 4_000;

export const noLinkFaults: LinkFaults = {
  refused: 0,
  unknown: 0,
  late: 0,
  lateGivingUp: false,
  slow: 0,
};

type Call = { work(): unknown; answer(): void; fail(kind: Fault["kind"], afterMs: number): void };

/** Simulates the connection to Postgres: every call takes time, and may fail in any way that a call can. */
export class PostgresLink {
  faults: LinkFaults = noLinkFaults;
  private downUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly timeline: Timeline,
    private readonly random: Random,
  ) {}

  /** Answers no call for a while. */
  goDown(ms: number): void {
    this.downUntil = Math.max(this.downUntil, this.timeline.now + ms);
  }

  /** Runs `work` at one moment of the call. */
  call<T>(host: Host, work: () => T, options: CallOptions = {}): Promise<T> {
    const { timeline } = this;
    return new Promise((resolve, reject) => {
      const fail = (kind: Fault["kind"], afterMs: number) => {
        options.onFault?.({ kind, until: timeline.now + afterMs + LATE_MS });
        timeline.after(afterMs, () => host.deliver(() => reject(new Error("Postgres is unreachable"))));
      };
      const answer = () => {
        const result = work();
        timeline.after(this.latency(), () => host.deliver(() => resolve(result)));
      };
      timeline.after(this.latency(), () => this.arrive({ work, answer, fail }, options));
    });
  }

  private arrive({ work, answer, fail }: Call, options: CallOptions): void {
    const { isGivingUp = false, timeoutMs = QUERY_TIMEOUT_MS } = options;
    const { random, timeline, faults } = this;
    const late = isGivingUp && !faults.lateGivingUp ? 0 : faults.late;
    let draw = random.next();
    const falls = (probability: number) => {
      draw -= probability;
      return draw < 0;
    };
    if (timeline.now < this.downUntil) fail("outage", random.pick([1, 30, timeoutMs]));
    else if (falls(faults.refused)) fail("failed call", random.between(0, 50));
    else if (falls(faults.unknown)) {
      work();
      fail("failed call", random.between(0, timeoutMs));
    } else if (falls(late)) {
      fail("failed call", timeoutMs);
      timeline.after(timeoutMs + random.between(0, LATE_MS), () => {
        work();
      });
    } else answer();
  }

  private latency(): number {
    if (this.random.chance(this.faults.slow)) return this.random.between(0, SLOW_MS);
    return this.random.between(0.1, 3);
  }
}
