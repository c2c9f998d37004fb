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
  /** The stream refuses what would take it beyond this; Postgres keeps what it refused. */
  maxBytes: number;
}>;

/** Where the message of an endpoint's delivery is published. */
export function subjectOf(partition: number, endpointId: EndpointId): string {
  return `hermod.deliveries.${partition}.${toText("ep", endpointId)}`;
}

/** A message not acknowledged for this long is given again; its repeat is recognized by its sequence. */
const ACK_WAIT_MS = 60_000;
/** Messages of one partition that may be with its consumer at once. */
const MAX_ACK_PENDING = 10_000;

export function streamConfig(topology: Topology): Partial<StreamConfig> & { name: string } {
  return {
    name: STREAM,
    subjects: ["hermod.deliveries.*.*"],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: topology.maxBytes,
    num_replicas: topology.replicas,
  };
}

export function consumerConfig(partition: number): Partial<ConsumerConfig> & { durable_name: string } {
  return {
    durable_name: consumerName(partition),
    filter_subject: `hermod.deliveries.${partition}.*`,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_ACK_PENDING,
    // Which messages are acknowledged is not worth a disk: after a loss they are known by their sequences. Measured, it
    // saves a third of the server's time.
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
