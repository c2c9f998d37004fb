import { machineNow } from "../clock";
import { type Quantiles, quantiles } from "../figures";
import { timeIn } from "../payload";

/** What the receiver saw of one run. */
export type TallyReport = {
  /** Deliveries, each counted once. */
  delivered: number;
  /** The last delivery of an endpoint, once more. */
  repeats: number;
  /** Deliveries before their turn, after it, or while another of their endpoint was still being answered. */
  violations: number;
  /** On the clock of the machine; null before the first. */
  firstAt: number | null;
  lastAt: number | null;
  /** From the time in the payload to the arrival, milliseconds. */
  latency: Quantiles | null;
};

export type TallyOptions = {
  /** How long an answer takes, milliseconds. */
  delayMs: number;
  /** From when on, after the first arrival, the times in the payloads are read; null: never. */
  timedAfterMs: number | null;
};

type Endpoint = { last: number; inFlight: number };

/** Counts one run's deliveries and checks the order of each endpoint's, which are numbered from 1. */
export class Tally {
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly latencies: number[] = [];
  private delivered = 0;
  private repeats = 0;
  private violations = 0;
  private firstAt: number | null = null;
  private lastAt: number | null = null;

  private hold: PromiseWithResolvers<void> | null = null;

  constructor(readonly options: TallyOptions) {}

  /** Whether its answers wait until it is told otherwise. */
  holdBack(isHeld: boolean): void {
    if (isHeld) this.hold ??= Promise.withResolvers();
    else {
      this.hold?.resolve();
      this.hold = null;
    }
  }

  /** Null: an answer may be given at once. */
  get held(): Promise<void> | null {
    return this.hold?.promise ?? null;
  }

  begin(endpointName: string, sequence: number): Endpoint {
    const endpoint = this.endpoints.get(endpointName) ?? { last: 0, inFlight: 0 };
    this.endpoints.set(endpointName, endpoint);
    if (sequence === endpoint.last) this.repeats++;
    else this.delivered++;
    const isInTurn = sequence === endpoint.last || sequence === endpoint.last + 1;
    if (!isInTurn || endpoint.inFlight > 0) this.violations++;
    endpoint.last = sequence;
    endpoint.inFlight++;
    this.lastAt = machineNow();
    this.firstAt ??= this.lastAt;
    return endpoint;
  }

  /** Whether the time of a delivery that arrives now is wanted. */
  isTimed(now: number): boolean {
    const { timedAfterMs } = this.options;
    return timedAfterMs !== null && this.firstAt !== null && now - this.firstAt >= timedAfterMs;
  }

  noteTime(payload: string, arrivedAt: number): void {
    this.latencies.push(arrivedAt - timeIn(payload));
  }

  report(): TallyReport {
    const { delivered, repeats, violations, firstAt, lastAt } = this;
    return { delivered, repeats, violations, firstAt, lastAt, latency: quantiles([...this.latencies]) };
  }
}
