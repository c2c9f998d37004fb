import { type BucketAccess, type ColdStore, openStore } from "../cold/store";
import type { EnvironmentReader } from "./environment";

/** Where old deliveries are kept in files, and from which age. */
export type ColdSettings = Readonly<{
  /** An absolute path, or `s3://bucket/folder`. */
  address: string;
  access: BucketAccess;
  /** Null to move no more to files. Those that exist are read. */
  afterMs: number | null;
}>;

/** Opens the store that the settings name. */
export function storeOf({ address, access }: ColdSettings): ColdStore {
  return openStore(address, access);
}

/** Reads the settings of the store of files. Null without one: all deliveries stay in Postgres. */
export function readCold(read: EnvironmentReader, retentionMs: number): ColdSettings | null {
  const address = read.checked("HERMOD_COLD_STORE", openStore);
  const access = {
    endpoint: read.url("HERMOD_COLD_S3_ENDPOINT", ["http:", "https:"]) ?? undefined,
    region: read.text("HERMOD_COLD_S3_REGION") ?? undefined,
    accessKeyId: read.text("HERMOD_COLD_S3_KEY_ID") ?? undefined,
    secretAccessKey: read.text("HERMOD_COLD_S3_SECRET") ?? undefined,
  };
  const afterMs = read.isGiven("HERMOD_COLD_AFTER")
    ? // At least two days, because figures and idempotency keys look back for a day.
      read.duration("HERMOD_COLD_AFTER", "7d", "2d", "3650d")
    : null;
  if (afterMs !== null && afterMs >= retentionMs)
    read.problem(
      "HERMOD_COLD_AFTER must be shorter than HERMOD_RETENTION, after which deliveries are deleted",
    );
  if (address !== null) return { address, access, afterMs };
  for (const name of ["HERMOD_COLD_AFTER", ...OF_BUCKETS])
    if (read.isGiven(name))
      read.problem(`${name} needs HERMOD_COLD_STORE, the folder or bucket for the files`);
  return null;
}

const OF_BUCKETS = [
  "HERMOD_COLD_S3_ENDPOINT",
  "HERMOD_COLD_S3_REGION",
  "HERMOD_COLD_S3_KEY_ID",
  "HERMOD_COLD_S3_SECRET",
];
