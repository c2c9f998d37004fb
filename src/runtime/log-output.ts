import { write } from "node:fs";
import { hasCode } from "./errors";

/** Most characters that wait to be written. Further lines are dropped. */
const MOST_WAITING = 1_048_576;
/** Wait before the next try while the reader is slow. */
const BUSY_MS = 100;

/**
 * Writes the log without ever making the process wait. Drops lines that can't be written, as on a full disk. pino's own
 * output keeps them, and retries for ever at exit.
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

  /** Resolves once no line waits. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting !== "") {
      const chunk = Buffer.from(this.waiting);
      this.waiting = "";
      await this.writeChunk(chunk);
    }
    // In the same turn as the last check: otherwise a line could come between and wait until the next line.
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

  /** Returns the number of written bytes; 0 if the reader is slow, null if writing is impossible. */
  private attempt(chunk: Buffer): Promise<number | null> {
    return new Promise((resolve) => {
      write(this.fd, chunk, (error, written) => {
        if (!error) resolve(written);
        else resolve(hasCode(error, "EAGAIN") ? 0 : null);
      });
    });
  }
}
