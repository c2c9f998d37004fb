import { orderOf } from "../../../src/dispatch/lane/lane-state";
import type { ActivePage, FoundDelivery, OrderPage, ReadRequest } from "../../../src/dispatch/lane/page";
import type { PendingDelivery } from "../../../src/domain/pending-delivery";
import type { Ordering } from "../../../src/domain/tuning";

/** A pending delivery as Postgres stores it. */
export type BacklogRow = Readonly<{
  sequence: number;
  orderingKey: string | null;
  attemptCount: number;
  /** Null if it was never attempted. */
  nextAttemptAt: number | null;
}>;

export type BacklogEndpoint = Readonly<{
  ordering: Ordering;
  maxInFlight: number;
  batchSize: number;
  queueRevision: number;
  lastSequence: number;
}>;

/**
 * The sizes `PAGE` and `EXAMINED` of src/dispatch/backlog/backlog-statement.ts. Smaller ones let pages end early more
 * often.
 */
export type PageSizes = Readonly<{
  scan: number;
  retries: number;
  orders: number;
  uncrowded: number;
  examined: number;
  examinedProbed: number;
}>;

export type BacklogModel<Row extends BacklogRow> = Readonly<{
  endpoint: BacklogEndpoint;
  /** Sorted by sequence. */
  rows: readonly Row[];
  now: number;
  sizes: PageSizes;
  deliveryOf(row: Row): PendingDelivery;
  /** The payload characters of a row, and how many a page may bring. */
  weightOf(row: Row): number;
  most: number;
}>;

/** Returns what src/dispatch/backlog/backlog.ts returns, as plainly as possible. A property test compares the two. */
export function pageOf<Row extends BacklogRow>(model: BacklogModel<Row>, request: ReadRequest): ActivePage {
  return new PageMaker(model, request).make();
}

class PageMaker<Row extends BacklogRow> {
  private weight = 0;
  private isFirst = true;

  constructor(
    private readonly model: BacklogModel<Row>,
    private readonly request: ReadRequest,
  ) {}

  // The order matters: each part takes space from the next.
  make(): ActivePage {
    const { ordering, queueRevision, lastSequence, maxInFlight, batchSize } = this.model.endpoint;
    const retries = this.retries();
    const orders = this.request.orders.map((each) => this.order(each));
    const scan = this.scan();
    return {
      kind: "active",
      ordering,
      maxInFlight: ordering === "ordered" ? 1 : maxInFlight,
      batchSize,
      queueRevision,
      lastSequence,
      ...retries,
      orders,
      passed: this.request.passed,
      ...scan,
      ...this.waiting(),
    };
  }

  private get isByTime(): boolean {
    return this.model.endpoint.ordering === "unordered" || this.request.isCrowded;
  }

  private retries(): Pick<ActivePage, "retries" | "hasMoreRetries"> {
    if (!this.request.scans || !this.isByTime) return { retries: [], hasMoreRetries: false };
    const { retries: most } = this.model.sizes;
    const due = this.dueFirsts;
    const found = due.map((row) => this.found(row).delivery).slice(0, most);
    const end = found.indexOf(null);
    const retries = found.slice(0, end < 0 ? undefined : end).filter((each) => each !== null);
    return { retries, hasMoreRetries: retries.length < due.length };
  }

  private get dueFirsts(): Row[] {
    const { retries: most, examinedProbed } = this.model.sizes;
    return this.dueRows()
      .slice(0, examinedProbed)
      .filter((row) => this.mayBeFirst(row))
      .slice(0, most + 1)
      .toSorted((a, b) => a.sequence - b.sequence);
  }

  private dueRows(): Row[] {
    const { rows, now } = this.model;
    const due = rows.filter(
      ({ sequence, nextAttemptAt: at }) =>
        at !== null && at <= now && !this.request.inFlight.includes(sequence),
    );
    return due.toSorted((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || a.sequence - b.sequence);
  }

  /** Returns whether no delivery of the key lies before this one. Only for a crowded endpoint. */
  private mayBeFirst({ sequence, orderingKey }: Row): boolean {
    if (this.model.endpoint.ordering === "unordered") return true;
    const isBefore = (row: Row) => row.orderingKey === orderingKey && row.sequence < sequence;
    return orderingKey !== null && !this.model.rows.some(isBefore);
  }

  private order({ order, from }: ReadRequest["orders"][number]): OrderPage {
    const { endpoint, rows, sizes } = this.model;
    const isOwn = (row: Row) => orderOf(endpoint.ordering, row) === order;
    const isBetween = ({ sequence }: Row) => sequence > from && sequence <= this.request.after;
    const isWalked = endpoint.ordering === "by_key" && order === "";
    const looked = isWalked ? sizes.examined : Number.POSITIVE_INFINITY;
    const walked = rows.filter(isBetween).slice(0, looked);
    const own = walked.filter(isOwn);
    const most = Math.max(1, Math.floor(sizes.orders / this.request.orders.length));
    const found = own.slice(0, most).map((row) => this.found(row));
    const isFull = own.length > most;
    const isCut = walked.length === looked;
    const lastLooked = isCut ? walked.at(-1) : undefined;
    const lookedTo = (isFull ? found.at(-1) : lastLooked)?.sequence ?? from;
    return { order, found, isWhole: !isFull && !isCut, lookedTo };
  }

  private scan(): Pick<ActivePage, "scanned" | "scannedTo"> {
    const { endpoint, rows, sizes } = this.model;
    const { after, scans, passed } = this.request;
    const most = Math.max(sizes.scan, endpoint.batchSize);
    if (!scans) return { scanned: [], scannedTo: after };
    if (endpoint.ordering === "ordered" && passed.length > 0)
      return { scanned: [], scannedTo: endpoint.lastSequence };
    const looked = this.request.isCrowded ? sizes.examinedProbed : sizes.examined;
    const walked = rows.filter(({ sequence }) => sequence > after).slice(0, looked);
    const taken = walked.filter((row) => this.isScanned(row));
    const scanned = taken.slice(0, most).map((row) => this.found(row));
    if (taken.length > most) return { scanned, scannedTo: scanned.at(-1)?.sequence ?? after };
    const last = walked.at(-1);
    const isCut = walked.length === looked && last !== undefined;
    return { scanned, scannedTo: isCut ? last.sequence : endpoint.lastSequence };
  }

  private isScanned(row: Row): boolean {
    const { ordering } = this.model.endpoint;
    const { passed, inFlight, isCrowded } = this.request;
    if (ordering === "ordered") return true;
    if (ordering === "unordered") return row.nextAttemptAt === null && !inFlight.includes(row.sequence);
    if (passed.includes(orderOf(ordering, row))) return false;
    if (!isCrowded || row.orderingKey === null) return true;
    return row.nextAttemptAt === null && this.mayBeFirst(row);
  }

  private waiting(): Pick<ActivePage, "firstRetryInMs" | "isUncrowded"> {
    const { rows, now, sizes, endpoint } = this.model;
    if (!this.request.scans || !this.isByTime) return { firstRetryInMs: null, isUncrowded: false };
    const waits = rows.flatMap(({ orderingKey, nextAttemptAt: at }) =>
      at !== null && at > now && (endpoint.ordering === "unordered" || orderingKey !== null)
        ? [at - now]
        : [],
    );
    const firstRetryInMs = waits.length === 0 ? null : Math.min(...waits);
    const isUncrowded = this.request.isCrowded && this.dueFirsts.length + waits.length <= sizes.uncrowded;
    return { firstRetryInMs, isUncrowded };
  }

  private found(row: Row): FoundDelivery {
    const { sequence, orderingKey, attemptCount, nextAttemptAt: at } = row;
    const { now, most, weightOf, deliveryOf, endpoint } = this.model;
    const retryInMs = at !== null && at > now ? at - now : null;
    if (retryInMs === null) this.weight += weightOf(row);
    // A delivery that has failed before fills an ordered endpoint's page, since it may fail again or hang.
    if (attemptCount > 0 && endpoint.ordering === "ordered") this.weight += most;
    const fits = this.isFirst || this.weight <= most;
    this.isFirst = false;
    return {
      sequence,
      orderingKey,
      delivery: fits && retryInMs === null ? deliveryOf(row) : null,
      retryInMs,
    };
  }
}
