import { machineNow } from "../clock";
import { type Quantiles, quantiles } from "../figures";

export type LoadReport = {
  /** Sends answered 201, over the whole time. */
  accepted: number;
  /** Sends answered otherwise, or not at all. */
  refused: number;
  /** Accepted sends that were made after the warm-up. */
  measured: number;
  /** Sends answered 201 in each second after the warm-up. */
  acceptedPerSecond: number;
  /** Milliseconds to the answer, after the warm-up. */
  latency: Quantiles | null;
};

/** Collects answers. Those before `warmAt` do not count for rate and latency. */
export class Answers {
  private accepted = 0;
  private refused = 0;
  private readonly latencies: number[] = [];
  private lastAt = 0;

  constructor(private readonly warmAt: number) {}

  note(status: number, from: number): void {
    if (status !== 201) {
      this.refused++;
      return;
    }
    this.accepted++;
    this.lastAt = machineNow();
    if (from >= this.warmAt) this.latencies.push(this.lastAt - from);
  }

  report(): LoadReport {
    const { accepted, refused, latencies } = this;
    const seconds = (this.lastAt - this.warmAt) / 1_000;
    const measured = latencies.length;
    return {
      accepted,
      refused,
      measured,
      acceptedPerSecond: measured / seconds,
      latency: quantiles(latencies),
    };
  }
}
