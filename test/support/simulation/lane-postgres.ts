import { LANE_CHARACTERS } from "../../../src/dispatch/lane/lane";
import { orderOf, shareOrder } from "../../../src/dispatch/lane/lane-state";
import type { Page, ReadRequest } from "../../../src/dispatch/lane/page";
import type { AccountId, DeliveryId } from "../../../src/domain/ids";
import type { PendingDelivery } from "../../../src/domain/pending-delivery";
import type { Ordering } from "../../../src/domain/tuning";
import { MAX_MESSAGE_DATA_BYTES } from "../../../src/stream/hint";
import { type PageSizes, pageOf } from "./backlog-page";

/** Smaller than the sizes in src/dispatch/backlog/backlog-statement.ts, so that pages end early more often. */
const SIZES: PageSizes = { scan: 4, retries: 2, orders: 4, uncrowded: 1, examined: 8, examinedProbed: 6 };

/** `exhausted`: the delivery used up its schedule, and the next of its order waits. `rest`: a retry, and the endpoint rests. */
export type Verdict = "delivered" | "retry" | "exhausted" | "rest";

/** Longer than the wait before a retry. */
const REST_MS = 25;

export type LaneRow = {
  sequence: number;
  orderingKey: string | null;
  attemptCount: number;
  nextAttemptAt: number | null;
  data: PendingDelivery["data"];
};

export type EndpointChange =
  | "edit"
  | "pause"
  | "resume"
  | "delete"
  | { ordering: Ordering; maxInFlight: number; batchSize: number };

/** Simulates the rows of one endpoint. */
export class LanePostgres {
  readonly rows = new Map<number, LaneRow>();
  lastSequence = 0;
  revision = 1;
  queueRevision = 1;
  state: "active" | "inactive" | "gone" = "active";
  ordering: Ordering;
  maxInFlight: number;
  batchSize: number;
  /** See the schema. */
  restsUntil: number | null = null;
  now = 0;

  constructor(ordering: Ordering, maxInFlight: number, batchSize: number) {
    this.ordering = ordering;
    this.batchSize = batchSize;
    this.maxInFlight = ordering === "ordered" ? 1 : maxInFlight;
  }

  accept(orderingKey: string | null, characters: number): LaneRow {
    const sequence = ++this.lastSequence;
    // A page and a message leave out the text of larger payloads.
    const data = characters <= MAX_MESSAGE_DATA_BYTES ? "x".repeat(characters) : { bytes: characters };
    const row = { sequence, orderingKey, attemptCount: 0, nextAttemptAt: null, data };
    this.rows.set(sequence, row);
    return row;
  }

  change(change: EndpointChange): void {
    if (this.state === "gone") return;
    this.revision++;
    if (typeof change === "object") {
      this.ordering = change.ordering;
      this.batchSize = change.batchSize;
      this.maxInFlight = change.ordering === "ordered" ? 1 : change.maxInFlight;
    } else if (change === "pause") this.state = "inactive";
    else if (change === "resume") this.state = "active";
    else if (change === "delete") {
      this.state = "gone";
      this.rows.clear();
    }
  }

  /** Removes a pending delivery from the queue, as a cancellation or an erasure does. */
  cancel(sequence: number): void {
    if (!this.rows.delete(sequence)) return;
    this.revision++;
    this.queueRevision++;
  }

  /** Ends a rest early, as a manual retry does. */
  endRest(): void {
    if (this.restsUntil === null || this.restsUntil <= this.now) return;
    this.restsUntil = this.now;
    this.revision++;
  }

  page(request: ReadRequest): Page {
    if (this.state !== "active") return { kind: this.state };
    const { ordering, batchSize, queueRevision, lastSequence, now, restsUntil } = this;
    if (restsUntil !== null && restsUntil > now) return { kind: "resting", forMs: restsUntil - now };
    const maxInFlight = restsUntil === null ? this.maxInFlight : 1;
    return pageOf<LaneRow>(
      {
        endpoint: { ordering, maxInFlight, batchSize, queueRevision, lastSequence },
        rows: [...this.rows.values()],
        now,
        sizes: SIZES,
        deliveryOf,
        weightOf: ({ data }) => (typeof data === "string" ? data.length : 0),
        most: LANE_CHARACTERS,
      },
      request,
    );
  }

  /** Compares and sets. Returns false if it was refused. A delivery that is retried waits for `waitMs`. */
  record(sequence: number, attemptCount: number, verdict: Verdict, waitMs: number): boolean {
    const row = this.rows.get(sequence);
    if (!row || row.attemptCount !== attemptCount) return false;
    row.attemptCount++;
    if (verdict === "retry" || verdict === "rest") row.nextAttemptAt = this.now + waitMs;
    else this.rows.delete(sequence);
    this.recordRest(verdict);
    if (verdict === "exhausted") this.postponeNext(row, waitMs);
    return true;
  }

  private recordRest(verdict: Verdict): void {
    const { restsUntil, now } = this;
    if (verdict === "rest") this.restsUntil = Math.max(restsUntil ?? 0, now + REST_MS);
    else if (verdict !== "delivered" || restsUntil === null || restsUntil > now) return;
    else this.restsUntil = null;
    this.revision++;
  }

  private postponeNext(ended: LaneRow, waitMs: number): void {
    const isNext = (row: LaneRow) => row.sequence > ended.sequence && shareOrder(this.ordering, row, ended);
    const next = [...this.rows.values()].find(isNext);
    if (next) next.nextAttemptAt = this.now + waitMs;
  }

  /** Returns the deliveries in front of this one in its order. */
  inFrontOf(delivery: Pick<LaneRow, "sequence" | "orderingKey">, ordering: Ordering): LaneRow[] {
    const order = orderOf(ordering, delivery);
    return [...this.rows.values()].filter(
      (row) => row.sequence < delivery.sequence && orderOf(ordering, row) === order,
    );
  }
}

export function deliveryOf({
  sequence,
  orderingKey,
  attemptCount,
  data,
}: Omit<LaneRow, "nextAttemptAt">): PendingDelivery {
  const id = `delivery-${sequence}` as DeliveryId;
  const accountId = "account" as AccountId;
  return {
    id,
    accountId,
    sequence,
    event: null,
    orderingKey,
    data,
    replayOf: null,
    eventExternalId: null,
    attemptCount,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
}
