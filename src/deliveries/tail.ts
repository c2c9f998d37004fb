import type { DeliveryStatus } from "../domain/delivery-status";
import type { AccountId, DeliveryId } from "../domain/ids";
import type { Deliveries } from "./deliveries";
import type { DeliverySummary } from "./delivery";
import type { IteratorPosition } from "./lists/cursor";
import type { IteratorQuery } from "./lists/iteration";

/** Most pending deliveries that a tail reads again, to show their changes. One more drops the oldest. */
export const MAX_WATCHED = 200;
/** Most deliveries read at once. */
const STEP = 100;

export type TailQuery = Pick<IteratorQuery, "event" | "endpointId" | "payload"> & {
  /** Deliveries are shown once they have this status. */
  status?: DeliveryStatus | undefined;
};

/** `delivery`: it matches the query for the first time. `update`: it has changed since. */
export type TailItem = {
  kind: "delivery" | "update";
  delivery: DeliverySummary;
  /** The position behind the delivery; null for an update of an earlier delivery. */
  position: IteratorPosition | null;
};

export type TailStep = {
  items: TailItem[];
  /** True if more deliveries are available now. */
  more: boolean;
};

type Watched = { state: string; isShown: boolean };

/** Follows an account's deliveries: shows each one from a position on, and then its changes until it ends. */
export class DeliveryTail {
  private readonly watched = new Map<DeliveryId, Watched>();

  constructor(
    private readonly deliveries: Pick<Deliveries, "iterate" | "summaries">,
    private readonly accountId: AccountId,
    private readonly query: TailQuery,
    private from: IteratorQuery["from"],
  ) {}

  /** Reads new deliveries and changes. The first step fixes the position of the tail. */
  async next(): Promise<TailStep> {
    const updates = await this.changes();
    const { status: _, ...filters } = this.query;
    const asked = { ...filters, from: this.from, limit: STEP };
    const { data, positions, position, more } = await this.deliveries.iterate(this.accountId, asked);
    this.from = position;
    const accepted = data.flatMap((delivery, i) => this.show(delivery, positions[i] ?? null));
    return { items: [...updates, ...accepted], more };
  }

  /** The position from which a later tail can continue; null before the first step of a tail from `now`. */
  get position(): IteratorPosition | null {
    return typeof this.from === "string" ? null : this.from;
  }

  private async changes(): Promise<TailItem[]> {
    if (this.watched.size === 0) return [];
    const found = await this.deliveries.summaries(this.accountId, [...this.watched.keys()]);
    return found.flatMap((delivery) => this.show(delivery, null));
  }

  private show(delivery: DeliverySummary, position: IteratorPosition | null): TailItem[] {
    const state = `${delivery.status} ${delivery.attemptCount}`;
    const before = this.watched.get(delivery.id);
    if (before?.state === state) return [];
    const { status } = this.query;
    const fits = status === undefined || delivery.status === status;
    const isShown = before?.isShown ?? false;
    this.watch(delivery, { state, isShown: isShown || fits });
    // Also shows a delivery that no longer matches, since its reader has shown it.
    if (isShown) return [{ kind: "update", delivery, position }];
    return fits ? [{ kind: "delivery", delivery, position }] : [];
  }

  private watch({ id, status }: DeliverySummary, watched: Watched): void {
    if (status !== "pending") {
      this.watched.delete(id);
      return;
    }
    this.watched.set(id, watched);
    const [oldest] = this.watched.keys();
    if (this.watched.size > MAX_WATCHED && oldest !== undefined) this.watched.delete(oldest);
  }
}
