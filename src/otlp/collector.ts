import type { Log } from "../runtime/log";
import { Outage } from "../runtime/outage";

export type Signal = "traces" | "metrics" | "logs";

/** The result of an export. A code of 0 is a success. */
type Result = { code: number; error?: Error };

export type Exporter<Items> = { export(items: Items, done: (result: Result) => void): void };

/** An export that ends within bounded time. */
export type Export = Readonly<{
  /** Exports what is left. */
  close(): Promise<void>;
}>;

const WORDS = {
  begun: "could not export to the OTLP collector; spans and log lines are dropped until it accepts them",
  over: "the OTLP collector accepts exports again",
} as const;

/** Logs when the collector stops accepting a signal, and when it accepts it again. */
export function collectorOutage(signal: Signal, log: Log): Outage {
  return new Outage(log.child({ signal }), WORDS);
}

/** Calls `ended` after each export. `error` is null if the collector accepted the items. */
export function onExported<Items>(
  exporter: Exporter<Items>,
  ended: (items: Items, error: Error | null) => void,
): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    const finish = (result: Result) => {
      ended(items, result.code === 0 ? null : (result.error ?? new Error("the export failed")));
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
