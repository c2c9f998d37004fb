import pino, { type Logger } from "pino";
import { LogOutput } from "./log-output";

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
