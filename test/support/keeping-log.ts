import pino from "pino";
import type { Log } from "../../src/runtime/log";

/** A log that keeps its lines, parsed. */
export function keepingLog() {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) as Log };
}
