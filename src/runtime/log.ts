import pino, { type Logger } from "pino";
import { LogOutput } from "./log-output";

export type Log = Logger;

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const standardError = new LogOutput(2);

/** Writes JSON lines to standard error; standard output is for the banner and `services`. */
export function createLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, standardError);
}

/** Resolves once all log lines are written or dropped. */
export function logSettled(): Promise<void> {
  return standardError.settled();
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
