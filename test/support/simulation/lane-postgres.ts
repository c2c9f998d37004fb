import type { PendingDelivery } from "../../../src/dispatch/delivery";
import { MAILBOX_CHARACTERS, type Page } from "../../../src/dispatch/lane";
import type { AccountId, DeliveryId } from "../../../src/runtime/ids";

/** Deliveries in a page, as src/dispatch/backlog.ts has it but shorter, so that pages end early more often. */
const PAGE_DELIVERIES = 5;

type Row = { attemptCount: number; data: string; retryAt: number };
export type Written =
  | { kind: "ended"; endpointChanged: boolean }
  | { kind: "postponed" }
  | { kind: "refused" };

/** What Postgres has of one endpoint. */
export class LanePostgres {
  readonly rows = new Map<number, Row>();
  lastSequence = 0;
  revision = 1;
  isActive = true;
  isDeleted = false;
  now = 0;

  /** A delivery is accepted; its sequence. */
  accept(characters: number): number {
    this.rows.set(++this.lastSequence, { attemptCount: 0, data: "x".repeat(characters), retryAt: 0 });
    return this.lastSequence;
  }

  get firstPending(): number {
    const [first] = this.rows.keys();
    return first ?? Number.POSITIVE_INFINITY;
  }

  change(kind: "edit" | "pause" | "resume" | "delete"): void {
    this.revision++;
    if (kind === "pause") this.isActive = false;
    else if (kind === "resume") this.isActive = true;
    else if (kind === "delete") {
      this.isDeleted = true;
      this.rows.clear();
    }
  }

  page(after: number): Page {
    if (this.isDeleted) return { kind: "gone" };
    if (!this.isActive) return { kind: "inactive" };
    const pending = [...this.rows].filter(([sequence]) => sequence > after);
    const deliveries: PendingDelivery[] = [];
    let characters = 0;
    for (const [sequence, row] of pending.slice(0, PAGE_DELIVERIES)) {
      characters += row.data.length;
      if (deliveries.length > 0 && characters > MAILBOX_CHARACTERS) break;
      deliveries.push(deliveryOf(sequence, row));
    }
    const retryAt = pending[0]?.[1].retryAt ?? 0;
    return {
      kind: "active",
      deliveries,
      complete: deliveries.length === pending.length,
      lastSequence: this.lastSequence,
      retryInMs: retryAt > this.now ? retryAt - this.now : null,
    };
  }

  /** Compare and set. */
  record(sequence: number, attemptCount: number, until: number | null, endpointChanged: boolean): Written {
    const row = this.rows.get(sequence);
    if (!row || row.attemptCount !== attemptCount) return { kind: "refused" };
    row.attemptCount++;
    if (endpointChanged) this.revision++;
    if (until === null) {
      this.rows.delete(sequence);
      return { kind: "ended", endpointChanged };
    }
    row.retryAt = until;
    return { kind: "postponed" };
  }
}

export function deliveryOf(sequence: number, { attemptCount, data }: Omit<Row, "retryAt">): PendingDelivery {
  const id = `delivery-${sequence}` as DeliveryId;
  return {
    id,
    accountId: "account" as AccountId,
    sequence,
    event: null,
    orderingKey: null,
    data,
    replayOf: null,
    attemptCount,
    hasSingleAttempt: false,
  };
}
