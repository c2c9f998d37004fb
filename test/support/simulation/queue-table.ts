import type { BacklogPage } from "../../../src/dispatch/backlog";
import type { PendingDelivery } from "../../../src/dispatch/delivery";
import type { EndpointView } from "../../../src/dispatch/endpoint";
import type { Page } from "../../../src/dispatch/lane";
import type { Head } from "../../../src/dispatch/sweep";
import type { UnorderedBacklogPage } from "../../../src/dispatch/unordered-backlog";
import type { UnorderedPage } from "../../../src/dispatch/unordered-lane";
import type { HealthChange, Outcome, RecordAnswer } from "../../../src/recorder/outcome";
import type { AccountId, DeliveryId, EndpointId } from "../../../src/runtime/ids";
import type { DeliveryMessage } from "../../../src/stream/message";
import { EPOCH } from "./host";
import type { Timeline } from "./timeline";

/** A pending delivery. */
export type QueueRow = {
  sequence: number;
  attemptCount: number;
  nextAttemptAt: number | null;
  /** See the schema. */
  singleAttemptTo: number | null;
};

export type EndpointRow = {
  id: EndpointId;
  partition: number;
  revision: number;
  lastSequence: number;
  isActive: boolean;
  isDeleted: boolean;
  failingSince: number | null;
  rateLimit: number | null;
  /** Attempts under way at once; null: ordered. */
  maxInFlight: number | null;
  /** The same as of each revision. */
  maxInFlightAt: Map<number, number | null>;
  /** In the order of their sequences. */
  queue: QueueRow[];
  /** How deliveries ended, by sequence. */
  results: Map<number, { status: "delivered" | "failed" | "cancelled"; attemptCount: number }>;
};

export const ACCOUNT = "account" as AccountId;
const DATA = "{}";

/** The tables behind the queue, and their statements, each at one moment; times are Unix milliseconds. */
export class QueueTable {
  readonly endpoints = new Map<EndpointId, EndpointRow>();

  constructor(
    private readonly timeline: Timeline,
    private readonly pageSize: number,
  ) {}

  get now(): number {
    return EPOCH + this.timeline.now;
  }

  create(
    name: string,
    partition: number,
    { rateLimit = null, maxInFlight = null }: Partial<Pick<EndpointRow, "rateLimit" | "maxInFlight">> = {},
  ): EndpointRow {
    const row: EndpointRow = {
      id: name as EndpointId,
      partition,
      revision: 1,
      lastSequence: 0,
      isActive: true,
      isDeleted: false,
      failingSince: null,
      rateLimit,
      maxInFlight,
      maxInFlightAt: new Map([[1, maxInFlight]]),
      queue: [],
      results: new Map(),
    };
    this.endpoints.set(row.id, row);
    return row;
  }

  /** Null when the endpoint is deleted. */
  accept(endpoint: EndpointRow): DeliveryMessage | null {
    if (endpoint.isDeleted) return null;
    const sequence = ++endpoint.lastSequence;
    const id = deliveryId(endpoint.id, sequence);
    endpoint.queue.push({ sequence, attemptCount: 0, nextAttemptAt: null, singleAttemptTo: null });
    const { revision } = endpoint;
    return {
      id,
      accountId: ACCOUNT,
      endpointId: endpoint.id,
      sequence,
      event: null,
      orderingKey: null,
      revision,
      data: DATA,
    };
  }

  /** `onlyOne`: as for a dispatcher that has no room. */
  read(endpointId: EndpointId, after: number, onlyOne = false): BacklogPage {
    const endpoint = this.get(endpointId);
    if (endpoint.isDeleted) return { page: { kind: "gone" }, endpoint: null };
    const view = viewOf(endpoint);
    if (!endpoint.isActive) return { page: { kind: "inactive" }, endpoint: view };
    const isOrdered = endpoint.maxInFlight === null;
    return { page: isOrdered ? this.page(endpoint, after, onlyOne) : { kind: "unordered" }, endpoint: view };
  }

  /** As in src/dispatch/unordered-backlog.ts. */
  readUnordered(
    endpointId: EndpointId,
    after: number,
    without: readonly number[],
    onlyOne = false,
  ): UnorderedBacklogPage {
    const endpoint = this.get(endpointId);
    if (endpoint.isDeleted) return { page: { kind: "gone" }, endpoint: null };
    const view = viewOf(endpoint);
    if (!endpoint.isActive) return { page: { kind: "inactive" }, endpoint: view };
    if (endpoint.maxInFlight === null) return { page: { kind: "ordered" }, endpoint: view };
    const page = this.unorderedPage(endpoint, endpoint.maxInFlight, after, without, onlyOne);
    return { page, endpoint: view };
  }

  setOrdering(endpoint: EndpointRow, maxInFlight: number | null): void {
    endpoint.maxInFlight = maxInFlight;
    this.revise(endpoint);
  }

  /** Compare and set, as in src/recorder/record.ts. */
  record(outcome: Outcome): RecordAnswer {
    const endpoint = this.get(outcome.endpointId);
    const row = endpoint.queue.find((each) => each.sequence === outcome.sequence);
    if (!row || row.attemptCount !== outcome.attemptCount) return { applied: false };
    const { revision } = endpoint;
    row.attemptCount++;
    if (outcome.verdict.kind === "retry") row.nextAttemptAt = this.now + outcome.verdict.afterMs;
    else this.end(endpoint, row, outcome.verdict.kind);
    if (outcome.verdict.kind === "failed") this.drain(endpoint, row, outcome.verdict.nextAfterMs);
    if (outcome.health !== "none") this.applyHealth(endpoint, outcome.health);
    return { applied: true, revision: endpoint.isDeleted ? 0 : revision };
  }

  /** As in src/dispatch/sweep.ts. */
  heads(partitions: readonly number[], aheadMs: number): Head[] {
    const heads: Head[] = [];
    for (const endpoint of this.endpoints.values()) {
      const { id, partition, isActive, isDeleted, maxInFlight, queue } = endpoint;
      const [first] = queue;
      if (!first || !isActive || isDeleted || !partitions.includes(partition)) continue;
      const isDue = (first.nextAttemptAt ?? 0) <= this.now + aheadMs;
      if (isDue || maxInFlight !== null)
        heads.push({ partition, endpointId: id, lastSequence: endpoint.lastSequence });
    }
    return heads;
  }

  setActive(endpoint: EndpointRow, isActive: boolean): void {
    if (isActive && !endpoint.isActive) endpoint.failingSince = null;
    endpoint.isActive = isActive;
    this.revise(endpoint);
  }

  /** Nothing is accepted from now on; `cancelLeftovers` ends what was. */
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

  private page({ id, queue, lastSequence }: EndpointRow, after: number, onlyOne: boolean): Page {
    const rows = queue.filter((row) => row.sequence > after);
    const hasFailed = (rows[0]?.attemptCount ?? 0) > 0;
    const most = onlyOne || hasFailed ? 1 : this.pageSize;
    const waiting = rows.findIndex((row, i) => i > 0 && (row.nextAttemptAt ?? 0) > this.now);
    const length = waiting < 0 ? most : Math.min(waiting, most);
    const deliveries = rows.slice(0, length).map((row) => deliveryOf(id, row));
    const next = rows[0]?.nextAttemptAt ?? null;
    const retryInMs = next !== null && next > this.now ? next - this.now : null;
    const complete = deliveries.length === rows.length;
    return { kind: "active", deliveries, complete, lastSequence, retryInMs };
  }

  private end(endpoint: EndpointRow, row: QueueRow, status: "delivered" | "failed" | "cancelled"): void {
    if (endpoint.results.has(row.sequence)) throw new Error(`${endpoint.id}/${row.sequence} ended twice`);
    endpoint.queue.splice(endpoint.queue.indexOf(row), 1);
    endpoint.results.set(row.sequence, { status, attemptCount: row.attemptCount });
  }

  /** As in src/recorder/drain.ts. */
  private drain(
    { maxInFlight, queue, lastSequence }: EndpointRow,
    ended: QueueRow,
    afterMs: number | null,
  ): void {
    const singleAttemptTo = ended.singleAttemptTo ?? lastSequence;
    const next = queue.find(({ sequence }) => sequence > ended.sequence && sequence <= singleAttemptTo);
    if (!next || afterMs === null || maxInFlight !== null) return;
    Object.assign(next, { singleAttemptTo, nextAttemptAt: this.now + afterMs });
  }

  private applyHealth(endpoint: EndpointRow, health: HealthChange): void {
    endpoint.failingSince = health === "recovered" ? null : (endpoint.failingSince ?? this.now);
    if (health !== "still_failing") this.revise(endpoint);
  }

  private revise(endpoint: EndpointRow): void {
    endpoint.revision++;
    endpoint.maxInFlightAt.set(endpoint.revision, endpoint.maxInFlight);
  }

  private unorderedPage(
    { id, queue, lastSequence }: EndpointRow,
    maxInFlight: number,
    after: number,
    without: readonly number[],
    onlyOne: boolean,
  ): UnorderedPage {
    const { now, pageSize } = this;
    const free = queue.filter(({ sequence }) => !without.includes(sequence));
    const due = free.filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now);
    const rest = queue.filter(({ sequence }) => sequence > after);
    const scanned = rest.slice(0, 2 * pageSize);
    const untried = scanned.filter((row) => row.nextAttemptAt === null && free.includes(row));
    const taken = {
      due: due.slice(0, onlyOne ? 1 : pageSize),
      untried: untried.slice(0, onlyOne ? Math.max(0, 1 - due.length) : pageSize),
    };
    const isCut = taken.untried.length < untried.length;
    const lastScanned = scanned.length < rest.length ? (scanned.at(-1)?.sequence ?? after) : lastSequence;
    const waits = queue.flatMap(({ nextAttemptAt: at }) => (at !== null && at > now ? [at - now] : []));
    return {
      kind: "active",
      maxInFlight,
      deliveries: [...taken.due, ...taken.untried].map((row) => deliveryOf(id, row)),
      scannedTo: isCut ? (taken.untried.at(-1)?.sequence ?? after) : lastScanned,
      hasMore: isCut || scanned.length < rest.length || taken.due.length < due.length,
      lastSequence,
      retryInMs: waits.length === 0 ? null : Math.min(...waits),
    };
  }
}

function viewOf({ revision, failingSince, rateLimit }: EndpointRow): EndpointView {
  const tuning = { retryScheduleMs: null, timeoutMs: null, rateLimit };
  const sending = { url: "", secrets: [], expiringSecrets: [], headers: null };
  return { revision, failingSince, ...sending, ...tuning };
}

function deliveryOf(
  endpointId: EndpointId,
  { sequence, attemptCount, singleAttemptTo }: QueueRow,
): PendingDelivery {
  const id = deliveryId(endpointId, sequence);
  return {
    id,
    accountId: ACCOUNT,
    sequence,
    event: null,
    orderingKey: null,
    data: DATA,
    replayOf: null,
    attemptCount,
    hasSingleAttempt: singleAttemptTo !== null,
  };
}

export function deliveryId(endpointId: EndpointId, sequence: number): DeliveryId {
  return `${endpointId}/${sequence}` as DeliveryId;
}
