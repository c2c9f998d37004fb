import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { quantiles } from "./figures";

/** Writes as Postgres writes its WAL. */
const PAGE = Buffer.alloc(8_192);
/** Written before, so that only the page's bytes are synced. */
const PAGES = 128;
const EVERY_MS = 20;

/**
 * Measures the disk alone: writes and syncs a page, over and over. No commit is faster, and on a shared disk one sync may
 * take a hundred times as long as the next.
 */
export class DiskProbe {
  private readonly times: number[] = [];
  private isStopped = false;
  private readonly running: Promise<void>;

  private constructor(private readonly file: FileHandle) {
    this.running = this.run();
  }

  /** Uses the disk of the folder. */
  static async start(dir: string): Promise<DiskProbe> {
    const file = await open(join(dir, "disk-probe"), "w");
    await file.write(Buffer.alloc(PAGES * PAGE.length));
    await file.sync();
    return new DiskProbe(file);
  }

  /** Returns the milliseconds for a page. */
  async stop(): Promise<{ p99: number; longest: number }> {
    this.isStopped = true;
    await this.running;
    await this.file.close();
    return { p99: quantiles(this.times)?.p99 ?? Number.NaN, longest: Math.max(...this.times) };
  }

  private async run(): Promise<void> {
    for (let i = 0; !this.isStopped; i++) {
      const startedAt = performance.now();
      await this.file.write(PAGE, 0, PAGE.length, (i % PAGES) * PAGE.length);
      await this.file.datasync();
      this.times.push(performance.now() - startedAt);
      await Bun.sleep(EVERY_MS);
    }
  }
}
