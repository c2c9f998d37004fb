import { orderOf, shareOrder } from "../../../src/dispatch/lane/lane-state";
import type { EndpointId } from "../../../src/domain/ids";
import { rateWindowOf } from "../../../src/domain/rate-limit";
import type { Ordering } from "../../../src/domain/tuning";
import type { Host } from "./host";
import type { EndpointRow, QueueTable } from "./queue-table";
import type { Timeline } from "./timeline";

export type Attempt = {
  host: Host;
  endpointId: EndpointId;
  /** The attempt at the first delivery of its request; null: this is the first. */
  first: Attempt | null;
  sequence: number;
  /** Attempts recorded before, as the host believed. */
  count: number;
  orderingKey: string | null;
  /** The ordering and the limit in flight, as the host believed. */
  ordering: Ordering;
  maxInFlight: number;
  startedAt: number;
  /** Until then it may still be under way. */
  endedAt: number;
  isRecorded: boolean;
  /** True if its host has the answer to its record. */
  isAnswered: boolean;
  /** The end of the endpoint's rest, as its record says. */
  restsUntil: number | null;
};

export type WitnessOptions = {
  table: QueueTable;
  timeline: Timeline;
  ttlMs: number;
  /** True if an outage of Postgres that loses nothing explains a repeat. */
  countsOutage: boolean;
  /** The hosts that trust a partition right now. */
  trusting(partition: number): Host[];
};

/** The rounding of sums. */
const ROUNDING_MS = 1e-6;

/** Checks every attempt against the promises when it is made. */
export class Witness {
  readonly violations: string[] = [];
  readonly trace: string[] = [];
  isTracing = false;
  attempts = 0;
  repeats = 0;
  private readonly made = new Map<EndpointId, Attempt[]>();
  /** The newest sequence that arrived in each order, since the endpoint's ordering changed. */
  private readonly newest = new Map<EndpointId, { ordering: Ordering; sequences: Map<string, number> }>();
  /** Deliveries that used up their schedule at endpoints that have been inactive since. */
  private readonly exhausted = new Map<
    EndpointId,
    Pick<Attempt, "sequence" | "orderingKey" | "ordering">[]
  >();
  private readonly inactiveSince = new Map<EndpointId, number>();

  constructor(private readonly options: WitnessOptions) {}

  note(what: string): void {
    if (this.isTracing) this.trace.push(`${this.options.timeline.now.toFixed(1)} ${what}`);
  }

  violation(what: string): void {
    this.note(`VIOLATION ${what}`);
    this.violations.push(`${what}, at ${this.options.timeline.now.toFixed(1)} ms`);
  }

  /** Fails: an endpoint was read again and again, and its first delivery was always waiting. */
  readsInVain(endpointId: EndpointId): void {
    this.violation(`${endpointId} is read over and over while it waits`);
  }

  /** Records that an endpoint was paused, deleted, or activated. */
  activity(endpoint: EndpointRow): void {
    const { id, isActive, isDeleted } = endpoint;
    if (isActive) this.exhausted.delete(id);
    if (isActive && !isDeleted) this.inactiveSince.delete(id);
    else if (!this.inactiveSince.has(id)) this.inactiveSince.set(id, this.options.timeline.now);
  }

  /** Records that a delivery has used up its schedule, and that its endpoint stops at it. */
  paused({ endpointId, ordering, sequence, orderingKey }: Attempt): void {
    const before = this.exhausted.get(endpointId) ?? [];
    this.exhausted.set(endpointId, [...before, { ordering, sequence, orderingKey }]);
  }

  began(
    host: Host,
    endpoint: EndpointRow,
    what: Pick<Attempt, "sequence" | "orderingKey" | "count" | "ordering" | "maxInFlight">,
    first: Attempt | null = null,
  ): Attempt {
    const { timeline } = this.options;
    const attempt: Attempt = {
      host,
      endpointId: endpoint.id,
      first,
      ...what,
      startedAt: timeline.now,
      endedAt: Number.POSITIVE_INFINITY,
      isRecorded: false,
      isAnswered: false,
      restsUntil: null,
    };
    const before = this.made.get(endpoint.id) ?? [];
    this.made.set(endpoint.id, before);
    this.note(`${host.name} attempts ${endpoint.id}/${what.sequence} #${what.count + 1}`);
    this.checkOrder(attempt, endpoint, before);
    this.checkOthers(attempt, before);
    this.checkActivity(attempt, before);
    this.checkExhausted(attempt, endpoint);
    this.checkRest(attempt, endpoint, before);
    this.checkTrust(endpoint.partition);
    this.checkRate(attempt, endpoint, before);
    before.push(attempt);
    this.attempts++;
    return attempt;
  }

  /** Checks a request that arrives at its receiver. */
  arrived(attempt: Attempt): void {
    const { host, endpointId, sequence, count, ordering } = attempt;
    this.note(`${endpointId}/${sequence} #${count + 1} of ${host.name} arrives`);
    // Arrivals in another order say nothing about the order after it.
    if (this.newest.get(endpointId)?.ordering !== ordering) {
      this.newest.set(endpointId, { ordering, sequences: new Map() });
    }
    const sequences = this.newest.get(endpointId)?.sequences ?? new Map<string, number>();
    const order = orderOf(ordering, attempt);
    const newest = sequences.get(order) ?? 0;
    if (sequence < newest) this.violation(`${endpointId}: ${sequence} arrived after ${newest}`);
    sequences.set(order, Math.max(newest, sequence));
  }

  ended(attempt: Attempt): void {
    attempt.endedAt = this.options.timeline.now;
  }

  attemptsAt(endpointId: EndpointId): readonly Attempt[] {
    return this.made.get(endpointId) ?? [];
  }

  /** Returns true if a fault hit the attempt's host, from a lease before its start until now. */
  isExplained({ host, startedAt }: Attempt): boolean {
    const { ttlMs, timeline, countsOutage } = this.options;
    return host.wasDisturbed(startedAt - ttlMs, timeline.now, countsOutage);
  }

  private checkOrder(attempt: Attempt, { id, queue }: EndpointRow, before: readonly Attempt[]): void {
    const { sequence, count, ordering } = attempt;
    const beside = before.filter((other) => shareRequest(other, attempt)).map((other) => other.sequence);
    const first = queue.find((row) => shareOrder(ordering, row, attempt) && !beside.includes(row.sequence));
    if (first && first.sequence < sequence) {
      this.violation(`${id}: ${sequence} is attempted while ${first.sequence} is pending`);
    }
    const isDue = (first?.nextAttemptAt ?? 0) <= this.options.table.now;
    if (first?.sequence === sequence && first.attemptCount === count && !isDue) {
      this.violation(`${id}: ${sequence} is attempted before its time`);
    }
  }

  private checkOthers(attempt: Attempt, before: readonly Attempt[]): void {
    const { endpointId, sequence, count, startedAt, ordering, maxInFlight } = attempt;
    const name = `${endpointId}/${sequence}`;
    const beside = before.filter(
      (other) => other.endedAt > startedAt && !shareRequest(other, attempt) && !this.isExplained(other),
    );
    for (const other of beside) {
      if (shareOrder(ordering, other, attempt)) {
        this.violation(`${name} is attempted beside ${other.sequence}, and nothing explains it`);
      }
    }
    if (beside.filter(({ first }) => first === null).length >= maxInFlight) {
      this.violation(`${name} is one more than ${maxInFlight} at a time`);
    }
    for (const other of before) {
      if (other.sequence !== sequence || other.count !== count) continue;
      this.repeats++;
      if (!this.isExplained(other))
        this.violation(`${name} #${count + 1} is repeated, and nothing explains it`);
    }
  }

  // A dispatcher may learn of the change only from the record of one attempt, since the message may be lost.
  private checkActivity({ endpointId, host, ordering, first }: Attempt, before: readonly Attempt[]): void {
    const since = this.inactiveSince.get(endpointId);
    if (since === undefined || first !== null) return;
    const showsChange = (other: Attempt) => ordering === "ordered" || other.isAnswered;
    if (before.some((other) => other.host === host && other.startedAt > since && showsChange(other))) {
      this.violation(`${endpointId} is inactive, and ${host.name} goes on attempting`);
    }
  }

  // No message is needed: later deliveries of the order follow the record, which sets the endpoint inactive.
  private checkExhausted(attempt: Attempt, { ordering }: EndpointRow): void {
    const { endpointId, sequence } = attempt;
    const inFront = this.exhausted
      .get(endpointId)
      ?.find(
        (each) =>
          each.ordering === ordering &&
          attempt.ordering === ordering &&
          each.sequence <= sequence &&
          shareOrder(ordering, each, attempt),
      );
    if (inFront)
      this.violation(`${endpointId}: ${sequence} is attempted, and it stopped at ${inFront.sequence}`);
  }

  // A dispatcher may learn of the rest only from the record of one attempt that began after it was reported.
  private checkRest(
    { endpointId, host }: Attempt,
    { restsUntil }: EndpointRow,
    before: readonly Attempt[],
  ): void {
    if ((restsUntil ?? 0) <= this.options.table.now) return;
    if (before.some((other) => other.host === host && other.isAnswered && other.restsUntil === restsUntil)) {
      this.violation(`${endpointId} rests, and ${host.name} goes on attempting`);
    }
  }

  private checkRate(
    { startedAt, first }: Attempt,
    { id, rateLimit }: EndpointRow,
    before: readonly Attempt[],
  ): void {
    if (rateLimit === null || first !== null) return;
    const { starts, ms } = rateWindowOf(rateLimit);
    const nth = before.filter((other) => other.first === null).at(-starts);
    if (nth && startedAt - nth.startedAt < ms - ROUNDING_MS) {
      this.violation(`${id}: more than ${starts} attempts begin within ${ms} ms`);
    }
  }

  private checkTrust(partition: number): void {
    const hosts = this.options.trusting(partition);
    if (hosts.length > 1) {
      this.violation(`partition ${partition} is trusted by ${hosts.map(({ name }) => name).join(" and ")}`);
    }
  }
}

function shareRequest(one: Attempt, other: Attempt): boolean {
  return (one.first ?? one) === (other.first ?? other);
}
