import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { quantiles } from "./figures";

/** As Postgres writes its log. */
const PAGE = Buffer.alloc(8_192);
/** Written before, so that nothing but the page's bytes is to be synced. */
const PAGES = 128;
const EVERY_MS = 20;

/**
 * What the disk does by itself: writes a page and has it synced, over and over. No commit is faster, and a disk that
 * others use as well may take a hundred times as long for one as for the next.
 */
export class DiskProbe {
  private readonly times: number[] = [];
  private isStopped = false;
  private readonly running: Promise<void>;

  private constructor(private readonly file: FileHandle) {
    this.running = this.run();
  }

  /** On the disk that has the folder. */
  static async start(dir: string): Promise<DiskProbe> {
    const file = await open(join(dir, "disk-probe"), "w");
    await file.write(Buffer.alloc(PAGES * PAGE.length));
    await file.sync();
    return new DiskProbe(file);
  }

  /** Milliseconds for a page. */
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
