import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { S3Client, type S3Options } from "bun";
import { unlessAborted } from "../runtime/clock";
import { messageOf } from "../runtime/errors";

/** Keeps the files of cold blocks. A file is written once, and never changed. */
export type ColdStore = Readonly<{
  put(path: string, bytes: Uint8Array): Promise<void>;
  get(path: string): Promise<Uint8Array>;
  /** Does nothing if the file is gone. */
  remove(path: string): Promise<void>;
}>;

/** A call of the store may take this long, ms. */
export const STORE_CALL_MS = 10_000;

/**
 * The store failed or was too slow. The same call may succeed later. Has no cause: a transaction would take the code of a lost
 * connection for its own.
 */
export class StoreUnavailable extends Error {
  constructor(action: string, path: string, cause: unknown) {
    super(`the store of HERMOD_COLD_STORE could not ${action} ${path}: ${messageOf(cause)}`);
    this.name = "StoreUnavailable";
  }
}

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/;

/** The service that keeps a bucket, and the credentials for it. What is absent comes from the variables of the AWS tools. */
export type BucketAccess = Pick<
  S3Options,
  "endpoint" | "region" | "accessKeyId" | "secretAccessKey" | "sessionToken"
>;

/** Opens the store at an absolute path, or at `s3://bucket/folder`. Throws if the address is neither. */
export function openStore(address: string, access: BucketAccess = {}): ColdStore {
  if (address.startsWith("/")) return bounded(folderStore(address));
  const [, bucket, folder = ""] = S3.exec(address) ?? [];
  if (bucket === undefined) throw new Error("must be an absolute path, or s3:// with a bucket and a folder");
  return bounded(bucketStore(bucket, folder, access));
}

/** Ends calls that take too long, and makes every failure a `StoreUnavailable`. */
function bounded(store: ColdStore): ColdStore {
  const call = async <T>(action: string, path: string, work: Promise<T>): Promise<T> => {
    try {
      return await unlessAborted(work, AbortSignal.timeout(STORE_CALL_MS));
    } catch (error) {
      throw new StoreUnavailable(action, path, error);
    }
  };
  return {
    put: (path, bytes) => call("write", path, store.put(path, bytes)),
    get: (path) => call("read", path, store.get(path)),
    remove: (path) => call("delete", path, store.remove(path)),
  };
}

function folderStore(folder: string): ColdStore {
  return {
    async put(path, bytes) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeDurably(`${target}.part`, bytes);
      await rename(`${target}.part`, target);
      await syncFolder(dirname(target));
    },
    get: (path) => Bun.file(join(folder, path)).bytes(),
    async remove(path) {
      const target = join(folder, path);
      await rm(`${target}.part`, { force: true });
      await rm(target, { force: true });
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function bucketStore(bucket: string, folder: string, access: BucketAccess): ColdStore {
  const client = new S3Client({ ...access, bucket });
  const keyOf = (path: string) => posix.join(folder, path);
  return {
    put: async (path, bytes) => {
      await client.write(keyOf(path), bytes);
    },
    get: (path) => client.file(keyOf(path)).bytes(),
    remove: (path) => client.delete(keyOf(path)),
  };
}
