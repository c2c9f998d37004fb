import { write } from "node:fs";
import { hasCode } from "./errno";

/** What waits to be written at most, characters; lines beyond it are dropped. */
const MOST_WAITING = 1_048_576;
/** The wait for a reader that is slower than what is written, milliseconds. */
const BUSY_MS = 100;

/**
 * Where the log goes, which nothing may wait for. What can't be written, as on a full disk, is dropped: pino's own output
 * keeps it, and at the exit tries for ever.
 */
export class LogOutput {
  private waiting = "";
  private writing: Promise<void> | null = null;

  constructor(private readonly fd: number) {}

  write(line: string): void {
    if (this.waiting.length + line.length > MOST_WAITING) return;
    this.waiting += line;
    this.writing ??= this.writeAll();
  }

  /** Resolves once nothing waits any more. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting !== "") {
      const chunk = Buffer.from(this.waiting);
      this.waiting = "";
      await this.writeChunk(chunk);
    }
    // In the same turn, so that no line comes between and waits for the next one.
    this.writing = null;
  }

  private async writeChunk(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      const written = await this.attempt(rest);
      if (written === null) return;
      if (written === 0) await Bun.sleep(BUSY_MS);
      rest = rest.subarray(written);
    }
  }

  /** Bytes that were written; 0 when there is no room just now, null when it can't be. */
  private attempt(chunk: Buffer): Promise<number | null> {
    return new Promise((resolve) => {
      write(this.fd, chunk, (error, written) => {
        if (!error) resolve(written);
        else resolve(hasCode(error, "EAGAIN") ? 0 : null);
      });
    });
  }
}
