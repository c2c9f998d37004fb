import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Root may mount. Other users may within a user namespace, where the kernel permits it. */
const WAYS = [["-m"], ["-U", "-m", "--map-current-user", "--keep-caps"]];
const MOUNT = 'mkdir -p "$0" && mount -t tmpfs -o size=$1,mode=0700 none "$0" && shift && exec "$@"';
const BLOCK_BYTES = 4_096;

/** Mounts a small disk on a folder, for one program. The mount ends with the program. */
export class SmallDisk {
  private ballast: string | null = null;

  private constructor(
    private readonly way: readonly string[],
    readonly folder: string,
    private readonly megabytes: number,
  ) {}

  /** Returns null where mounting is not permitted. */
  static async at(folder: string, megabytes: number): Promise<SmallDisk | null> {
    const probe = await mkdtemp(join(tmpdir(), "hermod-disk-"));
    try {
      for (const way of WAYS) {
        const disk = new SmallDisk(way, probe, 1);
        if (await succeeds(disk.around(["true"]))) return new SmallDisk(way, folder, megabytes);
      }
      return null;
    } finally {
      await rm(probe, { recursive: true });
    }
  }

  /** Returns the command that runs `command` with this disk, under the same process id. */
  around(command: readonly string[]): string[] {
    return ["unshare", ...this.way, "sh", "-c", MOUNT, this.folder, `${this.megabytes}m`, ...command];
  }

  /** Fills the rest of the disk, as seen by the process. */
  async fill(pid: number): Promise<void> {
    this.ballast = `/proc/${pid}/root${join(this.folder, "ballast")}`;
    const file = await open(this.ballast, "w");
    const block = new Uint8Array(BLOCK_BYTES);
    try {
      for (;;) await file.write(block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      await file.close();
    }
  }

  /** Frees the space. */
  async free(): Promise<void> {
    if (this.ballast) await rm(this.ballast, { force: true });
  }
}

async function succeeds(command: string[]): Promise<boolean> {
  try {
    return (await Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] }).exited) === 0;
  } catch {
    return false;
  }
}
