import type { Database } from "../../db/database";
import type { QueueKey } from "../../domain/partition";
import type { PendingDelivery } from "../../domain/pending-delivery";
import { MAX_RETRY_AFTER_MS } from "../../domain/retry-policy";
import type { Budget } from "../../runtime/budget";
import { Batcher } from "../../runtime/queues/batcher";
import { MAX_MESSAGE_DATA_BYTES } from "../../stream/hint";
import { type EndpointView, type OpenSecret, viewOf } from "../endpoint";
import { LANE_CHARACTERS } from "../lane/lane";
import type { ActivePage, FoundDelivery, OrderPage, Page, ReadRequest } from "../lane/page";
import {
  type BacklogRequest,
  type BacklogRow,
  type FoundBy,
  type Measure,
  PAGE,
  selectBacklog,
  UNCROWDED,
} from "./backlog-statement";

/** An endpoint and its pending deliveries, read at one moment. */
export type BacklogPage = Readonly<{ page: Page; endpoint: EndpointView | null }>;

export type BacklogOptions = Readonly<{
  db: Database;
  openSecret: OpenSecret;
  /** Limits the size of pages. */
  memory: Pick<Budget, "isFull">;
  /** See `longestWait`. */
  longestWaitMs: number;
}>;

/** Size of a page while there is memory. */
export const FULL_PAGE: Measure = { bytes: LANE_CHARACTERS, payloadBytes: MAX_MESSAGE_DATA_BYTES };
/** Size of a page when memory is used up. 100,000 endpoints may still read a page each. */
export const SMALLEST_PAGE: Measure = { bytes: 0, payloadBytes: 4_096 };

const MAX_BATCH = 100;
const MAX_READS = 2;
const MAX_QUEUED = 1_000_000;

/** Reads pending deliveries, for many endpoints in one statement. */
export class Backlog {
  private readonly batcher: Batcher<BacklogRequest, BacklogPage>;

  constructor(private readonly options: BacklogOptions) {
    this.batcher = new Batcher({
      run: (requests) => this.readMany(requests),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Throws `DatabaseUnavailable`, or an error of this endpoint's own, e.g. when its secret can't be opened. */
  read(queue: QueueKey, request: ReadRequest): Promise<BacklogPage> {
    return this.batcher.submit({ ...queue, ...request });
  }

  private async readMany(requests: BacklogRequest[]): Promise<Promise<BacklogPage>[]> {
    const { db, memory, openSecret, longestWaitMs } = this.options;
    const measure = memory.isFull ? SMALLEST_PAGE : FULL_PAGE;
    const rows = await db.run((sql) => selectBacklog(sql, requests, measure, longestWaitMs));
    const byRequest = Map.groupBy(rows, (row) => row.n);
    // An endpoint that can't be read must not fail the others in its statement.
    return requests.map(async (request, i) => pageIn(request, byRequest.get(i + 1) ?? [], openSecret));
  }
}

function pageIn(request: BacklogRequest, rows: readonly BacklogRow[], openSecret: OpenSecret): BacklogPage {
  const [endpoint] = rows;
  if (!endpoint) return { page: { kind: "gone" }, endpoint: null };
  const { url } = endpoint;
  if (url === null) return { page: { kind: "inactive" }, endpoint: null };
  const view = viewOf({ ...endpoint, url }, openSecret);
  const forMs = endpoint.isActive ? restOf(endpoint) : 0;
  if (forMs > 0) return { page: { kind: "resting", forMs }, endpoint: view };
  const page: Page = endpoint.isActive ? activePage(request, view, endpoint, rows) : { kind: "inactive" };
  return { page, endpoint: view };
}

// A longer rest was written before Postgres' clock was set back, and is over.
function restOf({ restsInMs, switchedInMs }: BacklogRow): number {
  const waits = [restsInMs ?? 0, switchedInMs ?? 0];
  return Math.max(...waits.map((ms) => (ms > MAX_RETRY_AFTER_MS ? 0 : ms)));
}

function activePage(
  request: BacklogRequest,
  { ordering, maxInFlight, batchSize }: EndpointView,
  endpoint: BacklogRow,
  rows: readonly BacklogRow[],
): ActivePage {
  const { queueRevision, lastSequence } = endpoint;
  const foundBy = (by: FoundBy) => rows.filter((row) => row.foundBy === by);
  const due = foundBy("retry");
  const waiting = foundBy("waiting");
  return {
    kind: "active",
    ordering,
    maxInFlight,
    batchSize,
    queueRevision,
    lastSequence,
    ...retriesOf(due.filter(({ isTaken }) => isTaken)),
    firstRetryInMs: waiting[0]?.retryInMs ?? null,
    isUncrowded: request.isCrowded && request.scans && due.length + waiting.length <= UNCROWDED,
    orders: ordersOf(request, foundBy("order")),
    passed: request.passed,
    ...scanOf(request, foundBy("scan"), lastSequence, Math.max(PAGE.scan, batchSize)),
  };
}

/** Takes due retries up to the first that did not fit. */
function retriesOf(due: readonly BacklogRow[]): Pick<ActivePage, "retries" | "hasMoreRetries"> {
  const retries: PendingDelivery[] = [];
  for (const row of due.slice(0, PAGE.retries)) {
    const delivery = pendingOf(row);
    if (!delivery) break;
    retries.push(delivery);
  }
  return { retries, hasMoreRetries: retries.length < due.length };
}

function ordersOf({ orders }: BacklogRequest, rows: readonly BacklogRow[]): OrderPage[] {
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  const most = Math.floor(PAGE.orders / orders.length);
  return orders.map(({ order, from }, i) => {
    const { found, end } = walkOf(byPlace.get(i + 1) ?? [], most);
    return { order, found, isWhole: end === null, lookedTo: end ?? from };
  });
}

function scanOf(
  { after, scans }: BacklogRequest,
  rows: readonly BacklogRow[],
  lastSequence: number,
  most: number,
): Pick<ActivePage, "scanned" | "scannedTo"> {
  if (!scans) return { scanned: [], scannedTo: after };
  const { found, end } = walkOf(rows, most);
  return { scanned: found, scannedTo: end ?? lastSequence };
}

/** Returns what a walk found, and its last sequence (null: the end). A walk finds one more row than a page takes. */
function walkOf(rows: readonly BacklogRow[], most: number): { found: FoundDelivery[]; end: number | null } {
  const taken = rows.filter(({ isTaken }) => isTaken);
  const found = taken.slice(0, most).flatMap(foundOf);
  if (taken.length > most) return { found, end: found.at(-1)?.sequence ?? null };
  return { found, end: rows.find(({ isEnd }) => isEnd)?.sequence ?? null };
}

function foundOf(row: BacklogRow): FoundDelivery[] {
  const { sequence, orderingKey, retryInMs } = row;
  return sequence === null ? [] : [{ sequence, orderingKey, delivery: pendingOf(row), retryInMs }];
}

/** Returns the delivery of a row; null if it has none, or if the delivery did not fit. */
function pendingOf(row: BacklogRow): PendingDelivery | null {
  const {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    bytes,
    data,
    replayOf,
    eventExternalId,
    attemptCount,
    freeAttempts,
    isFree,
    hasSingleAttempt,
  } = row;
  if (id === null || sequence === null || bytes === null) return null;
  return {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    data: data ?? { bytes },
    replayOf,
    eventExternalId,
    attemptCount: attemptCount ?? 0,
    freeAttempts: freeAttempts ?? 0,
    isFree: isFree ?? false,
    hasSingleAttempt: hasSingleAttempt ?? false,
  };
}
