import pino, { type Logger } from "pino";

export type Log = Logger;

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on standard error; standard output belongs to the banner and to `services`. */
export function createLog(level: LogLevel): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/** What is worth logging of a failure: no payload, no parameters, no secret. */
export function describeError(error: unknown): { error: string; code?: string } {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? { error: error.message, code } : { error: error.message };
}
