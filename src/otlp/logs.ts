import { type Attributes, type LogRecord, ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import pino from "pino";
import type { LineOutput, Log } from "../runtime/log";
import { VERSION } from "../runtime/version";
import { BATCH, boundedQueue, MOST_WAITING } from "./collector";
import { readResource } from "./resource";

/** Longer texts in fields, such as stacks, are cut. */
const MOST_CHARACTERS = 8_192;

/**
 * Exports log lines by OTLP, without ever making the process wait. `log` gets the lines about the export itself, and must not
 * be exported: each failed export would lead to another one.
 */
export function startLogExport(log: Log): LineOutput {
  const exporter = new OTLPLogExporter();
  const hasRoom = boundedQueue(exporter, "logs", log);
  const batches = { exporter, maxQueueSize: MOST_WAITING, maxExportBatchSize: BATCH };
  const provider = new LoggerProvider({
    resource: readResource(),
    processors: [new BatchLogRecordProcessor(batches)],
    logRecordLimits: { attributeValueLengthLimit: MOST_CHARACTERS },
  });
  const logger = provider.getLogger("hermod", VERSION);
  return {
    write: (line) => {
      if (hasRoom()) logger.emit(recordOf(JSON.parse(line)));
    },
    settled: () => provider.forceFlush(),
  };
}

type LogLine = Readonly<{ level: number; time: string; msg: string; trace_id?: string; span_id?: string }>;

function recordOf({ level, time, msg, trace_id, span_id, ...fields }: LogLine): LogRecord {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  );
  return {
    timestamp: new Date(time),
    // pino has 10 for trace, 20 for debug and so on; OpenTelemetry 1, 5 …
    severityNumber: (level / 10 - 1) * 4 + 1,
    severityText: pino.levels.labels[level]?.toUpperCase(),
    body: msg,
    attributes,
    context:
      trace_id && span_id
        ? trace.setSpanContext(ROOT_CONTEXT, {
            traceId: trace_id,
            spanId: span_id,
            traceFlags: TraceFlags.SAMPLED,
          })
        : ROOT_CONTEXT,
  };
}
