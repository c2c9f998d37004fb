import { machineNow } from "../clock";
import { type Quantiles, quantiles } from "../figures";
import { timeIn } from "../payload";

/** The receiver's figures of one run. */
export type TallyReport = {
  /** Deliveries, each counted once. */
  delivered: number;
  /** Repeats of an endpoint's last delivery. */
  repeats: number;
  /** Deliveries too early, too late, or while another one of their endpoint was being answered. */
  violations: number;
  /** The machine's clock; null before the first. */
  lastAt: number | null;
  /** Milliseconds from the time in the payload to the arrival, of deliveries since the last read. */
  latency: Quantiles | null;
};

/** `held`: answers wait until it is `free`. `timed`: payloads' times are read, until it is `untimed`. */
export type Order = "held" | "free" | "timed" | "untimed";

export type TallyOptions = {
  /** How long an answer takes, in milliseconds. */
  delayMs: number;
  /** One receiver in this many refuses every first attempt, so its deliveries are unordered. Null: none does. */
  failingEvery: number | null;
};

type Endpoint = { last: number; inFlight: number };

/** Returns whether the receiver of an endpoint is a failing one. */
export function isFailing(endpoint: number, every: number | null): boolean {
  return every !== null && endpoint % every === every - 1;
}

/** Counts one run's deliveries and checks the order at each endpoint, numbered from 1. */
export class Tally {
  private readonly endpoints = new Map<string, Endpoint>();
  private latencies: number[] = [];
  private delivered = 0;
  private repeats = 0;
  private violations = 0;
  private lastAt: number | null = null;

  private hold: PromiseWithResolvers<void> | null = null;
  private timed = false;

  constructor(readonly options: TallyOptions) {}

  obey(order: Order): void {
    if (order === "held") this.hold ??= Promise.withResolvers();
    else if (order === "free") {
      this.hold?.resolve();
      this.hold = null;
    } else {
      this.timed = order === "timed";
      if (this.timed) this.latencies = [];
    }
  }

  /** Null if an answer may be sent at once. */
  get held(): Promise<void> | null {
    return this.hold?.promise ?? null;
  }

  /** Returns whether an attempt is answered with a failure. */
  isRefused(endpointName: string, attempt: string | null): boolean {
    return attempt === "1" && this.isFailing(endpointName);
  }

  begin(endpointName: string, sequence: number): Endpoint {
    const endpoint = this.endpoints.get(endpointName) ?? { last: 0, inFlight: 0 };
    this.endpoints.set(endpointName, endpoint);
    if (sequence === endpoint.last) this.repeats++;
    else this.delivered++;
    const isInTurn = sequence === endpoint.last || sequence === endpoint.last + 1;
    if ((!isInTurn || endpoint.inFlight > 0) && !this.isFailing(endpointName)) this.violations++;
    endpoint.last = sequence;
    endpoint.inFlight++;
    this.lastAt = machineNow();
    return endpoint;
  }

  /** Returns whether the time of an arriving delivery counts. A second attempt is late by itself. */
  isTimed(endpointName: string): boolean {
    return this.timed && !this.isFailing(endpointName);
  }

  noteTime(payload: string, arrivedAt: number): void {
    this.latencies.push(arrivedAt - timeIn(payload));
  }

  report(): TallyReport {
    const { delivered, repeats, violations, lastAt } = this;
    return { delivered, repeats, violations, lastAt, latency: quantiles([...this.latencies]) };
  }

  private isFailing(endpointName: string): boolean {
    return isFailing(Number(endpointName), this.options.failingEvery);
  }
}
