import {
  AckPolicy,
  type ConnectionOptions,
  connect,
  DiscardPolicy,
  type JsMsg,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import type { Delivery } from "./rows";

const STREAM = "BARE";
export const PARTITIONS = 64;
const MAX_ACK_PENDING = 10_000;
/** Longer than any run takes, since all waiting messages are delivered at once. */
const ACK_WAIT_MS = 3_600_000;
const PREFETCH = 512;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Connects, and creates a missing stream, and a missing consumer for each partition. */
export async function openStream(url: string): Promise<NatsConnection> {
  const nats = await connect(optionsOf(url));
  const manager = await nats.jetstreamManager();
  await manager.streams.add({
    name: STREAM,
    subjects: ["bare.*"],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
  });
  for (let partition = 0; partition < PARTITIONS; partition++) {
    await manager.consumers.add(STREAM, {
      durable_name: nameOf(partition),
      filter_subject: subjectOf(partition),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      // A consumer's position is written to disk ten times a second. After a restart, later messages come again.
      mem_storage: true,
      max_ack_pending: MAX_ACK_PENDING,
    });
  }
  return nats;
}

export function subjectOf(partition: number): string {
  return `bare.${partition}`;
}

function nameOf(partition: number): string {
  return `bare-${partition}`;
}

/** Calls `receive` with the messages of every partition, each partition's in order. */
export async function consume(nats: NatsConnection, receive: (message: JsMsg) => void): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const consumer = await nats.jetstream().consumers.get(STREAM, nameOf(partition));
    await consumer.consume({ max_messages: PREFETCH, callback: receive });
  }
}

/** FNV-1a. */
export function partitionOf(endpointId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < endpointId.length; i++) hash = Math.imul(hash ^ endpointId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
}

/** The identifiers and the number, a space after each, then the payload. */
export function encode({ id, endpointId, sequence, data }: Delivery): Uint8Array {
  return encoder.encode(`${id} ${endpointId} ${sequence} ${data}`);
}

export function decode(bytes: Uint8Array): Delivery {
  const text = decoder.decode(bytes);
  const first = text.indexOf(" ");
  const second = text.indexOf(" ", first + 1);
  const third = text.indexOf(" ", second + 1);
  return {
    id: text.slice(0, first),
    endpointId: text.slice(first + 1, second),
    sequence: Number(text.slice(second + 1, third)),
    data: text.slice(third + 1),
  };
}

function optionsOf(text: string): ConnectionOptions {
  const { host, username, password } = new URL(text);
  return { servers: host, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}
