import { write } from "node:fs";
import { hasCode } from "./errors";

/** Most characters that wait to be written; further lines are dropped. */
const MOST_WAITING = 1_048_576;
/** Wait for a slow reader, in milliseconds. */
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
    // In the same turn, so no line comes between and waits for the next one.
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

  /** Returns the written bytes; 0 if there is no room now, null if writing is impossible. */
  private attempt(chunk: Buffer): Promise<number | null> {
    return new Promise((resolve) => {
      write(this.fd, chunk, (error, written) => {
        if (!error) resolve(written);
        else resolve(hasCode(error, "EAGAIN") ? 0 : null);
      });
    });
  }
}
