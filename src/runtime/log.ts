import { write } from "node:fs";
import pino, { type Logger } from "pino";
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

export type Log = Logger;

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes log lines without making the process wait. */
export type LineOutput = Readonly<{
  write(line: string): void;
  /** Resolves once no line waits. */
  settled(): Promise<void>;
}>;

const standardError = new LogOutput(2);
const outputs = new Set<LineOutput>([standardError]);

/** Writes JSON lines to standard error, and to `exported` if given. Standard output is for the banner and `services`. */
export function createLog(level: LogLevel, exported: LineOutput | null = null): Log {
  if (exported) outputs.add(exported);
  const write = (line: string) => {
    standardError.write(line);
    exported?.write(line);
  };
  const formatters = { log: rounded };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, { write });
}

/** Rounds the numbers of a line to a decimal place: nobody reads more of a duration. */
function rounded(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields);
  if (entries.every(([, value]) => typeof value !== "number" || Number.isInteger(value))) return fields;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "number" ? Math.round(value * 10) / 10 : value]),
  );
}

/** Resolves once all log lines are written, exported or dropped. */
export async function logSettled(): Promise<void> {
  await Promise.all([...outputs].map((output) => output.settled()));
}

/** Describes an error and its cause for the log, without payloads, parameters or secrets. */
export function describeError(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: String(error) };
  const { message } = error;
  const cause = error.cause instanceof Error ? describeError(error.cause) : null;
  const { code = cause?.code } = error as { code?: unknown };
  const isIncluded = cause === null || message.includes(cause.error);
  const text = isIncluded ? message : `${message}: ${cause.error}`;
  return typeof code === "string" ? { error: text, code } : { error: text };
}
