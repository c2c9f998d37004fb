import { type EndpointId, toText } from "./ids";

/** The partition of scheduled deliveries that are not due yet. No dispatcher owns it. */
export const SCHEDULED = -1;

/** The part of the queue's key that all rows of an endpoint share. */
export type QueueKey = Readonly<{ partition: number; endpointId: EndpointId }>;

/**
 * Returns the partition of an endpoint: FNV-1a (32 bit) over its public text, modulo the number of partitions. Must never change,
 * because rows in the database and messages between processes contain it.
 */
export function partitionOf(endpointId: EndpointId, partitions: number): number {
  const text = toText("ep", endpointId);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
