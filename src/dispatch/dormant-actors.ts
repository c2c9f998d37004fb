import type { QueueKey } from "../db/sql/queue-key";
import type { EndpointId } from "../domain/ids";
import { BoundedMap } from "../runtime/bounded-map";
import { type EndpointView, PLAIN } from "./endpoint";

/** What an ordered actor with nothing to do knows: with it, its successor begins without reading anything. */
export type DormantActor = Readonly<{
  /** Every delivery up to this sequence has ended. */
  tail: number;
  endpoint: EndpointView;
}>;

/** `drops`: how often the partition's had been dropped. */
type Kept = Readonly<{ tail: number; drops: number }> &
  (PlainEndpoint | Readonly<{ endpoint: EndpointView }>);
/** An endpoint that is plain but for these, which takes half of what others do. */
type PlainEndpoint = Readonly<{ revision: number; url: string; secret: string }>;

/** What all dormant actors may weigh together: those of some 100,000 plain endpoints. */
const MAX_WEIGHT = 36 * 1_048_576;
/** What one weighs beside its texts: the objects that hold it (measured, with those texts: 300 bytes). */
const REST_WEIGHT = 256;

/** What actors left when they were released. It takes much less than the actors do, so there can be many more. */
export class DormantActors {
  private readonly kept = new BoundedMap<EndpointId, Kept>(MAX_WEIGHT, weightOf);
  private readonly drops = new Map<number, number>();

  keep({ partition, endpointId }: QueueKey, { tail, endpoint }: DormantActor): void {
    const drops = this.dropsOf(partition);
    const plain = plainOf(endpoint);
    this.kept.set(endpointId, plain ? { tail, drops, ...plain } : { tail, drops, endpoint });
  }

  /** At most once each. */
  take({ partition, endpointId }: QueueKey): DormantActor | null {
    const kept = this.kept.get(endpointId);
    if (!kept) return null;
    this.kept.delete(endpointId);
    return kept.drops === this.dropsOf(partition) ? { tail: kept.tail, endpoint: viewOf(kept) } : null;
  }

  /** Those of a partition: somebody else may act on it from now on. */
  drop(partition: number): void {
    this.drops.set(partition, this.dropsOf(partition) + 1);
  }

  private dropsOf(partition: number): number {
    return this.drops.get(partition) ?? 0;
  }
}

function plainOf({ revision, url, secrets, ...others }: EndpointView): PlainEndpoint | null {
  const [secret] = secrets;
  const isPlain = (Object.keys(PLAIN) as (keyof typeof PLAIN)[]).every((key) => others[key] === PLAIN[key]);
  return isPlain && secret !== undefined && secrets.length === 1 ? { revision, url, secret } : null;
}

function viewOf(kept: Kept): EndpointView {
  if ("endpoint" in kept) return kept.endpoint;
  return { ...PLAIN, revision: kept.revision, url: kept.url, secrets: [kept.secret] };
}

function weightOf(kept: Kept): number {
  if (!("endpoint" in kept)) return REST_WEIGHT + kept.url.length + kept.secret.length;
  const { url, secrets, expiringSecrets, headers } = kept.endpoint;
  const all = [...secrets, ...expiringSecrets.map(({ secret }) => secret)];
  const texts = [url, ...all, ...Object.entries(headers ?? {}).flat()];
  return texts.reduce((weight, text) => weight + text.length, 2 * REST_WEIGHT);
}
