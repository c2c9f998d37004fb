import type { HrTime } from "@opentelemetry/api";
import type { Log } from "../runtime/log";
import { Outage } from "../runtime/outage";

export type Signal = "traces" | "metrics" | "logs";

/** The result of an export. A code of 0 is a success. */
type ExportResult = { code: number; error?: Error };

export type Exporter<Items> = { export(items: Items, done: (result: ExportResult) => void): void };

export type Export = Readonly<{
  /** Exports the rest. May take as long as the exporter's time limit. */
  close(): Promise<void>;
}>;

const WORDS = {
  begun: "could not export to the OTLP collector; spans and log lines are dropped until it accepts them",
  over: "the OTLP collector accepts exports again",
} as const;

/** Logs when the collector stops accepting a signal, and when it accepts it again. */
function collectorOutage(signal: Signal, log: Log): Outage {
  return new Outage(log.child({ signal }), WORDS);
}

/** Most items of a signal that wait for the collector. Further items are dropped. */
export const MOST_WAITING = 2_048;
/** Most items in an export. */
export const BATCH = 512;

/** Returns why an export failed. An answer's status is only a number beside its message, which may be empty. */
export function reasonOf(error: Error = new Error("the export failed")): Error {
  const { code } = error as { code?: unknown };
  return typeof code === "number" ? new Error(`status ${code} ${error.message}`.trim()) : error;
}

/** Calls `ended` after each export. `error` is null if the collector accepted the items. */
export function onExported<Items>(
  exporter: Exporter<Items>,
  ended: (items: Items, error: Error | null) => void,
): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    const finish = (result: ExportResult) => {
      ended(items, result.code === 0 ? null : reasonOf(result.error));
      done(result);
    };
    try {
      send(items, finish);
    } catch (error) {
      finish({ code: 1, error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
}

/** Reports the outages of a signal's exporter. */
export function reportOutages<Items>(exporter: Exporter<Items>, signal: Signal, log: Log): void {
  const outage = collectorOutage(signal, log);
  onExported(exporter, (_, error) => (error ? outage.failed(error) : outage.worked()));
}

/**
 * Counts the items that wait for the collector. Reports an outage while it refuses items, or items are dropped since too many
 * wait. Returns a function to call before each item: false if the item must be dropped.
 */
export function boundedQueue<Item>(exporter: Exporter<Item[]>, signal: Signal, log: Log): () => boolean {
  const outage = collectorOutage(signal, log);
  let [waiting, dropped] = [0, 0];
  onExported(exporter, (items, error) => {
    waiting -= items.length;
    if (error) {
      dropped += items.length;
      return outage.failed(error);
    }
    // Not over while items are dropped between two exports.
    if (waiting >= BATCH) return;
    outage.worked({ dropped });
    dropped = 0;
  });
  return () => {
    if (waiting < MOST_WAITING) {
      waiting++;
      return true;
    }
    if (dropped++ === 0) outage.failed(new Error(`${signal} come faster than the collector accepts them`));
    return false;
  };
}

/** Converts milliseconds to seconds and nanoseconds. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1_000_000)];
}
