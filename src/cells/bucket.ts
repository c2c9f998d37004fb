import { type KV, type KvEntry, NatsError } from "nats";
import type { Clock } from "../runtime/clock";
import type { StreamConnection } from "../stream/connection";
import { ANSWER_MS } from "./questions";

export const BUCKET = "hermod-cells";
/** An entry that nobody has written again for this long is removed: the next request asks the cells. */
export const ENTRY_DAYS = 7;
/** The directory takes at most this much disk. A full one takes no more entries, and requests ask the cells. */
export const BUCKET_BYTES = 1_073_741_824;
/** After a failure the bucket is not tried again for this long, so that requests don't wait for it one by one. */
const REST_MS = 1_000;
/** JetStream's code for a write of a key that has another revision. */
const WRONG_REVISION = 10_071;

export type BucketOptions = Readonly<{ connection: StreamConnection; replicas: number; clock: Clock }>;

/** The bucket can't be read or written now. */
export class BucketAway extends Error {
  constructor(cause?: unknown) {
    super("the directory's bucket can't be used", { cause });
    this.name = "BucketAway";
  }
}

/** The directory's bucket. Makes it again if it is gone. Every method throws `BucketAway`. */
export class CellBucket {
  private opened: KV | null = null;
  private restsUntil = 0;

  constructor(private readonly options: BucketOptions) {}

  get(key: string): Promise<KvEntry | null> {
    return this.use((kv) => kv.get(key));
  }

  put(key: string, cell: string): Promise<unknown> {
    return this.use((kv) => kv.put(key, cell));
  }

  /** Resolves to false if the key has an entry. */
  create(key: string, cell: string): Promise<boolean> {
    return this.use((kv) => unlessTaken(kv.create(key, cell)));
  }

  /** Resolves to false if the entry has changed since `revision`. */
  replace(key: string, cell: string, revision: number): Promise<boolean> {
    return this.use((kv) => unlessTaken(kv.update(key, cell, revision)));
  }

  /** Tries twice, since the bucket may be gone since it was opened. */
  private async use<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    try {
      if (this.opened !== null) return await work(this.opened);
    } catch {
      this.opened = null;
    }
    try {
      this.opened = await this.open();
      return await work(this.opened);
    } catch (error) {
      this.opened = null;
      if (error instanceof BucketAway) throw error;
      this.restsUntil = this.options.clock.monotonic() + REST_MS;
      throw new BucketAway(error);
    }
  }

  private open(): Promise<KV> {
    const { connection, replicas, clock } = this.options;
    const nats = connection.live;
    if (nats === null || clock.monotonic() < this.restsUntil) throw new BucketAway();
    return nats.jetstream({ timeout: ANSWER_MS }).views.kv(BUCKET, {
      history: 1,
      replicas,
      ttl: ENTRY_DAYS * 86_400_000,
      max_bytes: BUCKET_BYTES,
    });
  }
}

async function unlessTaken(write: Promise<number>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === WRONG_REVISION) return false;
    throw error;
  }
}
