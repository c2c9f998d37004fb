import { isDeepStrictEqual } from "node:util";
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "nats";

export const STREAM = "HERMOD_DELIVERIES";

export type Topology = Readonly<{
  partitions: number;
  replicas: number;
  /** The stream drops its oldest messages beyond this size. */
  maxBytes: number;
}>;

const SUBJECT_PREFIX = "hermod.deliveries.";

/** The subject of all deliveries to the endpoints of one partition. */
export function subjectOf(partition: number): string {
  return `${SUBJECT_PREFIX}${partition}`;
}

/** Returns the partition of a subject made by `subjectOf`. */
export function partitionIn(subject: string): number {
  return Number(subject.slice(SUBJECT_PREFIX.length));
}

/** The subjects of all deliveries. */
export const ALL_SUBJECTS = `${SUBJECT_PREFIX}*`;

/** Subject of a message that shows whether the stream stores messages. No dispatcher reads it. */
export const PROBE_SUBJECT = `${SUBJECT_PREFIX}probe`;

/** Filter of a consumer without partitions: without a filter it would get everything. Nobody publishes to this subject. */
const NO_SUBJECT = `${SUBJECT_PREFIX}none`;

/** The stream keeps messages for this long, read or not. By then a sweep has found their deliveries. */
export const KEPT_MS = 60_000;
/** The server removes a consumer that nobody has read from for this long. */
const ABANDONED_MS = 60_000;

/** Time between comparisons of stream and consumers with our settings. Servers don't report changes. */
export const CHECK_EVERY_MS = 2_000;

/** Settings that a server omits from its answers while they are off. */
const OMITTED_WHILE_OFF = { no_ack: false, discard_new_per_subject: false };

function streamConfig(topology: Topology): Partial<StreamConfig> & { name: string } {
  return {
    name: STREAM,
    subjects: [ALL_SUBJECTS],
    // Not a work queue: other programs read the stream too. And removing each message when it is acknowledged costs 40 % of the
    // server's time and 10 % of a dispatcher's (measured), though Postgres already has the same fact.
    retention: RetentionPolicy.Limits,
    max_age: nanos(KEPT_MS),
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_bytes: topology.maxBytes,
    num_replicas: topology.replicas,
    // The defaults, listed so that `ensureStream` undoes changes.
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    sealed: false,
    ...OMITTED_WHILE_OFF,
  };
}

export function consumerConfig(
  dispatcher: string,
  partitions: readonly number[],
): Partial<ConsumerConfig> & { durable_name: string } {
  return {
    durable_name: consumerName(dispatcher),
    filter_subjects: partitions.length > 0 ? partitions.map(subjectOf) : [NO_SUBJECT],
    // The sweep that follows finds the deliveries of earlier messages.
    deliver_policy: DeliverPolicy.New,
    // Removes the consumers of earlier starts: a dispatcher's id is new at each start.
    inactive_threshold: nanos(ABANDONED_MS),
    ack_policy: AckPolicy.None,
    // The position need not survive a restart of the server. Saves a third of the server's time (measured).
    mem_storage: true,
  };
}

export function consumerName(dispatcher: string): string {
  return `hermod-${dispatcher}`;
}

/** The size of the stream if the disk has too little space for the configured size. */
const SMALL_BYTES = 16 * 1_048_576;

/** Settings that an update can't change. A stream that differs in one is recreated, since its messages are only hints. */
const IMMUTABLE = ["retention", "storage", "sealed"] as const;

/** Creates the stream, or updates it to this configuration. Returns its size, which is smaller if NATS lacks the disk. */
export async function ensureStream(manager: JetStreamManager, topology: Topology): Promise<number> {
  const config = streamConfig(topology);
  const current = await currentConfig(manager);
  if (current === null) return addStream(manager, config);
  if (IMMUTABLE.some((name) => current[name] !== config[name])) {
    await manager.streams.delete(STREAM);
    return addStream(manager, config);
  }
  if (!isDeepStrictEqual({ ...current, ...config }, current)) return updateStream(manager, config, current);
  return topology.maxBytes;
}

// Updates all but the size if NATS lacks the disk for it.
async function updateStream(
  manager: JetStreamManager,
  config: ReturnType<typeof streamConfig>,
  current: StreamConfig,
): Promise<number> {
  try {
    return (await manager.streams.update(STREAM, config)).config.max_bytes;
  } catch (error) {
    if (!hasCode(error, TOO_LARGE)) throw error;
    const smaller = { ...config, max_bytes: current.max_bytes };
    if (!isDeepStrictEqual({ ...current, ...smaller }, current))
      await manager.streams.update(STREAM, smaller);
    return current.max_bytes;
  }
}

// Adds the stream, a small one if needed: NATS gives a stream at most 75 % of the free disk. A later check enlarges it.
async function addStream(
  manager: JetStreamManager,
  config: ReturnType<typeof streamConfig>,
): Promise<number> {
  try {
    return (await manager.streams.add(config)).config.max_bytes;
  } catch (error) {
    if (!hasCode(error, TOO_LARGE)) throw error;
    return (await manager.streams.add({ ...config, max_bytes: SMALL_BYTES })).config.max_bytes;
  }
}

async function currentConfig(manager: JetStreamManager): Promise<StreamConfig | null> {
  try {
    return { ...OMITTED_WHILE_OFF, ...(await manager.streams.info(STREAM)).config };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Recreates a dispatcher's consumer. It begins with the next message, whatever is in the stream. */
export async function createConsumer(
  manager: JetStreamManager,
  dispatcher: string,
  partitions: readonly number[],
): Promise<ConsumerInfo> {
  const config = consumerConfig(dispatcher, partitions);
  await manager.consumers.delete(STREAM, config.durable_name).catch((error) => {
    if (!isMissing(error)) throw error;
  });
  return manager.consumers.add(STREAM, config);
}

/** Changes the partitions of a consumer, which keeps its place in the stream. */
export function updateConsumer(
  manager: JetStreamManager,
  dispatcher: string,
  partitions: readonly number[],
): Promise<ConsumerInfo> {
  return manager.consumers.update(STREAM, consumerName(dispatcher), consumerConfig(dispatcher, partitions));
}

/** True if both have the same settings. Ignores `metadata`, where servers write about themselves. */
export function isSameConsumer(one: ConsumerInfo, other: ConsumerInfo): boolean {
  return isDeepStrictEqual({ ...one.config, metadata: null }, { ...other.config, metadata: null });
}

// The server's own codes: stream not found, consumer not found.
const NOT_FOUND = new Set([10059, 10014]);
// Resource limits exceeded for the account; insufficient storage resources available, of the server and of a cluster.
const TOO_LARGE = new Set([10002, 10028, 10047]);

/** True if the server answered that the stream or the consumer does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, NOT_FOUND);
}

function hasCode(error: unknown, codes: ReadonlySet<number>): boolean {
  return error instanceof NatsError && codes.has(error.api_error?.err_code ?? 0);
}
