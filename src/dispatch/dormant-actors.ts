import type { EndpointId } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import { BoundedMap } from "../runtime/bounded-map";
import type { EndpointView } from "./endpoint";

/** The state of an idle actor. The endpoint's next actor starts from it without a read. */
export type DormantActor = Readonly<{
  /** Every delivery up to this sequence has ended. */
  tail: number;
  endpoint: EndpointView;
}>;

/** A state, and how often its partition had been forgotten when it was kept. */
type Kept = DormantActor & Readonly<{ timesForgotten: number }>;

/** Most weight of all dormant actors, in bytes: some 100,000 ordinary ones. */
const MAX_WEIGHT = 64 * 1_048_576;
/** Weight of a dormant actor beside its texts, in bytes. */
const OBJECTS_WEIGHT = 512;

/** Keeps the states of released actors. A state takes much less memory than an actor, so there can be many more. */
export class DormantActors {
  private readonly kept = new BoundedMap<EndpointId, Kept>(MAX_WEIGHT, weightOf);
  private readonly timesForgotten = new Map<number, number>();

  keep({ partition, endpointId }: QueueKey, { tail, endpoint }: DormantActor): void {
    this.kept.set(endpointId, { tail, endpoint, timesForgotten: this.timesForgottenOf(partition) });
  }

  /** Removes and returns the state that the endpoint's actor left. */
  revive({ partition, endpointId }: QueueKey): DormantActor | null {
    const kept = this.kept.get(endpointId);
    if (!kept) return null;
    this.kept.delete(endpointId);
    return kept.timesForgotten === this.timesForgottenOf(partition)
      ? { tail: kept.tail, endpoint: kept.endpoint }
      : null;
  }

  /** Forgets the state that an endpoint's actor left. */
  forget(endpointId: EndpointId): void {
    this.kept.delete(endpointId);
  }

  /** Forgets the states of a partition, because another process may act on it from now on. */
  forgetPartition(partition: number): void {
    this.timesForgotten.set(partition, this.timesForgottenOf(partition) + 1);
  }

  private timesForgottenOf(partition: number): number {
    return this.timesForgotten.get(partition) ?? 0;
  }
}

function weightOf({ endpoint }: Kept): number {
  const { url, secrets, expiringSecrets, headers } = endpoint;
  const all = [...secrets, ...expiringSecrets.map(({ secret }) => secret)];
  const texts = [url, ...all, ...Object.entries(headers ?? {}).flat()];
  return texts.reduce((weight, text) => weight + text.length, OBJECTS_WEIGHT);
}
