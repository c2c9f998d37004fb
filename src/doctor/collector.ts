import type { Signal } from "../otlp/collector";
import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { type Finding, findingsOf } from "./finding";

const ANSWER_MS = 5_000;
const SIGNALS = ["traces", "metrics", "logs"] as const satisfies readonly Signal[];

/** Checks that the collector accepts each signal that is exported, with an empty export. */
export async function checkCollector({ otlp }: Config): Promise<readonly Finding[]> {
  const exported = SIGNALS.filter((signal) => otlp[signal]);
  if (exported.length === 0) return [];
  const { probeCollector } = await import("../otlp/probe");
  const check = async (signal: Signal) => {
    const found = findingsOf("collector");
    try {
      await probeCollector(signal, ANSWER_MS);
      found.ok(`accepts ${signal}`);
    } catch (error) {
      const [reason, name] = [describeError(error).error, signal.toUpperCase()];
      found.warning(
        `does not accept ${signal}: ${reason}. Check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_${name}_ENDPOINT, ` +
          `or set OTEL_${name}_EXPORTER=none.`,
      );
    }
    return found.all;
  };
  return (await Promise.all(exported.map(check))).flat();
}
