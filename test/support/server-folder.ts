import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const LEAST_FREE_BYTES = 4 * 2 ** 30;

/** Makes a folder for the files of servers, in memory if there is room: copying a database then takes 40 ms, not 350. */
export async function serverFolder(): Promise<string> {
  const free = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(free > LEAST_FREE_BYTES ? IN_MEMORY : tmpdir(), "hermod-test-"));
}
