import { PER_TRANSACTION } from "../db/database";

/** Number of pools with one connection: for sends, for sends that wait for a lock, and for leases. */
const SINGLE = 3;
/** The pipeline's share of the other connections: one for each other intake, the rest for the recorder and for reads. */
const PIPELINE_SHARE = 8 / 23;
const LEAST_PIPELINE = 2;

/** The fewest connections that a process works with. */
export const LEAST_CONNECTIONS = 8;

/** Divides a process's connections to Postgres among its pools. */
export function poolSizes(connections: number): Readonly<{ requests: number; pipeline: number }> {
  const shared = connections - SINGLE;
  const pipeline = Math.max(LEAST_PIPELINE, Math.floor(shared * PIPELINE_SHARE));
  // Only this pool has transactions, for which it opens further connections.
  const requests = Math.floor(((shared - pipeline) * PER_TRANSACTION) / (PER_TRANSACTION + 1));
  return { requests, pipeline };
}
