import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "nats";
import { type EndpointId, toText } from "../runtime/ids";

export const STREAM = "HERMOD_DELIVERIES";

export type Topology = Readonly<{
  partitions: number;
  replicas: number;
  /** The oldest messages give way beyond this. */
  maxBytes: number;
}>;

/** Where the message of an endpoint's delivery is published. */
export function subjectOf(partition: number, endpointId: EndpointId): string {
  return `hermod.deliveries.${partition}.${toText("ep", endpointId)}`;
}

/** How long a message is kept, be it read or not. What a sweep has found long since is no hint any more. */
const MAX_AGE_MS = 60_000;

export function streamConfig(topology: Topology): Partial<StreamConfig> & { name: string } {
  return {
    name: STREAM,
    subjects: ["hermod.deliveries.*.*"],
    // A work queue would remove each message at its acknowledgement: measured, two fifths of the server's time and a
    // tenth of a dispatcher's, for what Postgres knows already.
    retention: RetentionPolicy.Limits,
    max_age: nanos(MAX_AGE_MS),
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: topology.maxBytes,
    num_replicas: topology.replicas,
  };
}

export function consumerConfig(partition: number): Partial<ConsumerConfig> & { durable_name: string } {
  return {
    durable_name: consumerName(partition),
    filter_subject: `hermod.deliveries.${partition}.*`,
    ack_policy: AckPolicy.None,
    // How far it has read is not worth a disk: repeats are known by their sequences. Measured, it saves a third of the
    // server's time.
    mem_storage: true,
  };
}

export function consumerName(partition: number): string {
  return `hermod-${partition}`;
}

/** Creates the stream, or brings one that is there to this configuration. */
export async function ensureStream(manager: JetStreamManager, topology: Topology): Promise<void> {
  const config = streamConfig(topology);
  try {
    const { config: current } = await manager.streams.info(STREAM);
    const isCurrent = current.max_bytes === config.max_bytes && current.num_replicas === config.num_replicas;
    if (!isCurrent) await manager.streams.update(STREAM, config);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await manager.streams.add(config);
  }
}

/** Creates a partition's durable consumer; one that is there stays as it is. */
export async function ensureConsumer(manager: JetStreamManager, partition: number): Promise<void> {
  await manager.consumers.add(STREAM, consumerConfig(partition));
}

const NOT_FOUND = new Set([10059, 10014]);

/** True when the server says that the stream or the consumer is not there. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return NOT_FOUND.has(error.api_error?.err_code ?? 0) || /(stream|consumer) not found/.test(error.message);
}
