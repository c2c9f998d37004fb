import type { BacklogPage } from "../../../src/dispatch/backlog/backlog";
import { type EndpointView, PLAIN } from "../../../src/dispatch/endpoint";
import { LANE_CHARACTERS, ORDERS_PER_READ } from "../../../src/dispatch/lane/lane";
import { type OrderingSettings, shareOrder } from "../../../src/dispatch/lane/lane-state";
import type { ReadRequest } from "../../../src/dispatch/lane/page";
import type { Head } from "../../../src/dispatch/sweeper";
import type { AccountId, DeliveryId, EndpointId } from "../../../src/domain/ids";
import type { HealthChange, Outcome, Recorded } from "../../../src/domain/outcome";
import type { PendingDelivery } from "../../../src/domain/pending-delivery";
import type { Ordering } from "../../../src/domain/tuning";
import type { Hint } from "../../../src/stream/hint";
import { pageOf } from "./backlog-page";
import { EPOCH } from "./host";
import type { Timeline } from "./timeline";

/** A pending delivery. */
export type QueueRow = {
  sequence: number;
  orderingKey: string | null;
  attemptCount: number;
  freeAttempts: number;
  isFree: boolean;
  /** The numbers of recorded attempts at which a request ended the wait. */
  hurriedAfter: Set<number>;
  nextAttemptAt: number | null;
  /** See the schema. */
  singleAttemptTo: number | null;
};

/** A delivery that has ended. `usedSteps`: attempts but for those that a request hurried. */
export type EndedRow = {
  status: "delivered" | "failed" | "cancelled";
  attemptCount: number;
  usedSteps: number;
  hasSingleAttempt: boolean;
};

export type EndpointRow = {
  id: EndpointId;
  partition: number;
  revision: number;
  lastSequence: number;
  isActive: boolean;
  isDeleted: boolean;
  failingSince: number | null;
  restsUntil: number | null;
  rateLimit: number | null;
  ordering: Ordering;
  /** The limit of attempts in flight. */
  maxInFlight: number;
  batchSize: number;
  /** True if it is set inactive when a delivery has used up its schedule. */
  pauses: boolean;
  queueRevision: number;
  /** Sorted by sequence. */
  queue: QueueRow[];
  /** Ended deliveries, by sequence. */
  results: Map<number, EndedRow>;
};

type EndpointSettings = Partial<
  Pick<EndpointRow, "rateLimit" | "ordering" | "maxInFlight" | "batchSize" | "pauses">
>;

export const ACCOUNT = "account" as AccountId;
const DATA = "{}";

/** Simulates the tables behind the queue and their statements, each at one moment. Times are Unix milliseconds. */
export class QueueTable {
  readonly endpoints = new Map<EndpointId, EndpointRow>();

  constructor(
    private readonly timeline: Timeline,
    private readonly pageSize: number,
  ) {}

  get now(): number {
    return EPOCH + this.timeline.now;
  }

  create(name: string, partition: number, settings: EndpointSettings = {}): EndpointRow {
    const { rateLimit = null, ordering = "ordered", batchSize = 1, pauses = false } = settings;
    const maxInFlight = ordering === "ordered" ? 1 : (settings.maxInFlight ?? 10);
    const row: EndpointRow = {
      id: name as EndpointId,
      partition,
      revision: 1,
      queueRevision: 1,
      lastSequence: 0,
      isActive: true,
      isDeleted: false,
      failingSince: null,
      restsUntil: null,
      rateLimit,
      ordering,
      maxInFlight,
      batchSize,
      pauses,
      queue: [],
      results: new Map(),
    };
    this.endpoints.set(row.id, row);
    return row;
  }

  /** Returns null if the endpoint is deleted. */
  accept(endpoint: EndpointRow, orderingKey: string | null = null): Hint | null {
    if (endpoint.isDeleted) return null;
    const sequence = ++endpoint.lastSequence;
    const id = deliveryId(endpoint.id, sequence);
    endpoint.queue.push({
      sequence,
      orderingKey,
      attemptCount: 0,
      freeAttempts: 0,
      isFree: false,
      hurriedAfter: new Set(),
      nextAttemptAt: null,
      singleAttemptTo: null,
    });
    const { id: endpointId, partition, revision } = endpoint;
    const ids = { id, accountId: ACCOUNT, endpointId, partition, eventExternalId: null };
    return { ...ids, sequence, event: null, orderingKey, revision, data: DATA };
  }

  /** Removes a pending delivery from the queue, as src/deliveries/cancellation.ts does. */
  cancel(endpoint: EndpointRow, row: QueueRow): void {
    this.end(endpoint, row, "cancelled");
    endpoint.queueRevision++;
    this.revise(endpoint);
  }

  /** Makes waiting deliveries due, as src/deliveries/retry.ts does. */
  retry(endpoint: EndpointRow): void {
    const waiting = endpoint.queue.filter(({ nextAttemptAt }) => (nextAttemptAt ?? 0) > this.now);
    for (const row of waiting) {
      row.nextAttemptAt = this.now;
      row.isFree = true;
      row.hurriedAfter.add(row.attemptCount);
    }
    if (waiting.length > 0) endpoint.queueRevision++;
    this.revise(endpoint);
  }

  /** `onlyOne`: as for a dispatcher without free memory. */
  read(endpointId: EndpointId, request: ReadRequest, onlyOne = false): BacklogPage {
    const endpoint = this.get(endpointId);
    if (endpoint.isDeleted) return { page: { kind: "gone" }, endpoint: null };
    const view = viewOf(endpoint);
    if (!endpoint.isActive) return { page: { kind: "inactive" }, endpoint: view };
    const { pageSize: size, now } = this;
    const restMs = (endpoint.restsUntil ?? 0) - now;
    if (restMs > 0) return { page: { kind: "resting", forMs: restMs }, endpoint: view };
    const page = pageOf<QueueRow>(
      {
        endpoint: { ...endpoint, maxInFlight: view.maxInFlight },
        rows: endpoint.queue,
        now,
        sizes: {
          scan: size,
          retries: size,
          orders: ORDERS_PER_READ,
          uncrowded: 128,
          examined: 2 * size,
          examinedProbed: 2 * size,
        },
        deliveryOf: (row) => deliveryOf(endpointId, row),
        weightOf: () => DATA.length,
        most: onlyOne ? 0 : LANE_CHARACTERS,
      },
      request,
    );
    return { page, endpoint: view };
  }

  setOrdering(endpoint: EndpointRow, manner: OrderingSettings): void {
    Object.assign(endpoint, manner);
    this.revise(endpoint);
  }

  /** Compares and sets, as src/recorder/record.ts does. */
  record(outcome: Outcome): Recorded {
    const endpoint = this.get(outcome.endpointId);
    const row = endpoint.queue.find((each) => each.sequence === outcome.sequence);
    if (!row || row.attemptCount !== outcome.attemptCount) return { applied: false };
    const { revision } = endpoint;
    row.attemptCount++;
    if (row.isFree) row.freeAttempts++;
    row.isFree = false;
    const { verdict } = outcome;
    if (verdict.kind === "retry") row.nextAttemptAt = this.now + verdict.afterMs;
    else if (verdict.kind === "stop") row.nextAttemptAt = this.now;
    else this.end(endpoint, row, verdict.kind);
    if (verdict.kind === "failed") this.drain(endpoint, row, verdict.nextAfterMs);
    if (outcome.health !== "none") this.applyHealth(endpoint, outcome.health, outcome.restMs);
    if (outcome.health === "exhausted") endpoint.isActive = false;
    return { applied: true, revision: endpoint.isDeleted ? 0 : revision };
  }

  /** Returns the heads of the orders, as src/dispatch/sweeper.ts does. */
  heads(partitions: readonly number[], aheadMs: number): Head[] {
    const heads: Head[] = [];
    for (const endpoint of this.endpoints.values()) {
      const { id, partition, isActive, isDeleted, ordering, queue } = endpoint;
      const [first] = queue;
      if (!first || !isActive || isDeleted || !partitions.includes(partition)) continue;
      const isDue = (first.nextAttemptAt ?? 0) <= this.now + aheadMs;
      if ((endpoint.restsUntil ?? 0) > this.now + aheadMs) continue;
      if (isDue || ordering !== "ordered")
        heads.push({ partition, endpointId: id, lastSequence: endpoint.lastSequence });
    }
    return heads;
  }

  setActive(endpoint: EndpointRow, isActive: boolean): void {
    if (isActive && !endpoint.isActive) endpoint.failingSince = null;
    endpoint.isActive = isActive;
    this.revise(endpoint);
  }

  /** Deletes an endpoint, which accepts nothing from now on. `cancelLeftovers` ends its pending deliveries. */
  delete(endpoint: EndpointRow): void {
    endpoint.isDeleted = true;
  }

  cancelLeftovers(): void {
    for (const endpoint of this.endpoints.values()) {
      if (endpoint.isDeleted) for (const row of [...endpoint.queue]) this.end(endpoint, row, "cancelled");
    }
  }

  get(id: EndpointId): EndpointRow {
    const endpoint = this.endpoints.get(id);
    if (!endpoint) throw new Error(`there is no endpoint ${id}`);
    return endpoint;
  }

  private end(endpoint: EndpointRow, row: QueueRow, status: EndedRow["status"]): void {
    if (endpoint.results.has(row.sequence)) throw new Error(`${endpoint.id}/${row.sequence} ended twice`);
    endpoint.queue.splice(endpoint.queue.indexOf(row), 1);
    const { attemptCount, singleAttemptTo } = row;
    const hasSingleAttempt = singleAttemptTo !== null;
    endpoint.results.set(row.sequence, { status, attemptCount, usedSteps: usedSteps(row), hasSingleAttempt });
  }

  /** Drains a dead receiver's queue, as src/recorder/drain.ts does. */
  private drain(
    { ordering, queue, lastSequence }: EndpointRow,
    ended: QueueRow,
    afterMs: number | null,
  ): void {
    const singleAttemptTo = ended.singleAttemptTo ?? lastSequence;
    const isNext = (row: QueueRow) => row.sequence > ended.sequence && shareOrder(ordering, row, ended);
    const next = queue.find(isNext);
    if (!next || next.sequence > singleAttemptTo || afterMs === null) return;
    Object.assign(next, { singleAttemptTo, nextAttemptAt: this.now + afterMs });
  }

  private applyHealth(endpoint: EndpointRow, health: HealthChange, restMs: number | null): void {
    const { restsUntil } = endpoint;
    if (restMs !== null) endpoint.restsUntil = Math.max(restsUntil ?? 0, this.now + restMs);
    else if (health === "recovered" && (restsUntil ?? 0) <= this.now) endpoint.restsUntil = null;
    if (health === "recovered") endpoint.failingSince = null;
    else if (health !== "exhausted") endpoint.failingSince ??= this.now;
    if (health !== "still_failing" || restMs !== null) this.revise(endpoint);
  }

  private revise(endpoint: EndpointRow): void {
    endpoint.revision++;
  }
}

/** Returns the recorded attempts that no request hurried. */
export function usedSteps({ attemptCount, hurriedAfter }: QueueRow): number {
  return attemptCount - [...hurriedAfter].filter((count) => count < attemptCount).length;
}

function viewOf({
  revision,
  failingSince,
  restsUntil,
  rateLimit,
  ordering,
  batchSize,
  ...row
}: EndpointRow): EndpointView {
  const probes = restsUntil !== null;
  const maxInFlight = probes ? 1 : row.maxInFlight;
  const onExhausted = row.pauses ? "pause" : "skip";
  const settings = { onExhausted, rateLimit, ordering, maxInFlight, batchSize } as const;
  return { ...PLAIN, revision, url: "", secrets: [], failingSince, probes, ...settings };
}

function deliveryOf(
  endpointId: EndpointId,
  { sequence, orderingKey, attemptCount, freeAttempts, isFree, singleAttemptTo }: QueueRow,
): PendingDelivery {
  const id = deliveryId(endpointId, sequence);
  return {
    id,
    accountId: ACCOUNT,
    sequence,
    event: null,
    orderingKey,
    data: DATA,
    replayOf: null,
    eventExternalId: null,
    attemptCount,
    freeAttempts,
    isFree,
    hasSingleAttempt: singleAttemptTo !== null,
  };
}

export function deliveryId(endpointId: EndpointId, sequence: number): DeliveryId {
  return `${endpointId}/${sequence}` as DeliveryId;
}
