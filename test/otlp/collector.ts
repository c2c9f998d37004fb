import { double, hex, integer, message, messages, packedDoubles, packedIntegers, text } from "./protobuf";

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  isError: boolean;
  service: string;
};

export type ReceivedMetric = {
  name: string;
  description: string;
  unit: string;
  type: "gauge" | "sum" | "histogram";
  isCumulative: boolean;
  isMonotonic: boolean;
  points: ReceivedPoint[];
  resource: Attributes;
};

export type ReceivedPoint = {
  attributes: Attributes;
  /** Unix milliseconds. */
  since: number;
  at: number;
  /** The number; null in a histogram. */
  value: number | null;
  /** Of a histogram; empty otherwise. */
  sum: number;
  count: number;
  bounds: number[];
  counts: number[];
};

export type ReceivedLine = {
  /** Unix milliseconds. */
  at: number;
  severity: number;
  severityText: string;
  body: string;
  attributes: Attributes;
  traceId: string;
  spanId: string;
  resource: Attributes;
};

type Value = string | number | boolean;
type Attributes = Record<string, Value>;

export type Collector = ReturnType<typeof startCollector>;

/**
 * A collector of OTLP over HTTP that decodes what it gets, and whose address is in the environment, where the exporters look.
 * `answer` may replace its answers.
 */
export function startCollector(answer: (path: string) => Response | Promise<Response> | null = () => null) {
  const received = {
    spans: [] as ReceivedSpan[],
    metrics: [] as ReceivedMetric[],
    lines: [] as ReceivedLine[],
  };
  const accept = (path: string, request: Uint8Array) => {
    if (path === "/v1/traces") received.spans.push(...spansIn(request));
    else if (path === "/v1/metrics") received.metrics.push(...metricsIn(request));
    else if (path === "/v1/logs") received.lines.push(...linesIn(request));
    else return new Response(null, { status: 404 });
    return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      const bytes = new Uint8Array(await request.arrayBuffer());
      const isZipped = request.headers.get("content-encoding") === "gzip";
      return answer(path) ?? accept(path, isZipped ? Bun.gunzipSync(bytes) : bytes);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
  const stop = () => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    return server.stop(true);
  };
  return { url, ...received, stop };
}

// The field numbers are those of opentelemetry-proto 1.x.

function spansIn(request: Uint8Array): ReceivedSpan[] {
  return itemsIn(request, spanIn).map(({ resource, ...span }) => ({
    ...span,
    service: String(resource["service.name"]),
  }));
}

function linesIn(request: Uint8Array): ReceivedLine[] {
  return itemsIn(request, lineIn);
}

function metricsIn(request: Uint8Array): ReceivedMetric[] {
  return itemsIn(request, metricIn);
}

/** The items of all scopes of all resources. */
function itemsIn<Item>(
  request: Uint8Array,
  read: (item: Uint8Array) => Item,
): (Item & { resource: Attributes })[] {
  return messages(request, 1).flatMap((ofResource) => {
    const resource = attributesIn(messages(message(ofResource, 1), 1));
    return messages(ofResource, 2).flatMap((scope) =>
      messages(scope, 2).map((item) => ({ ...read(item), resource })),
    );
  });
}

function spanIn(span: Uint8Array): Omit<ReceivedSpan, "service"> {
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    kind: integer(span, 6),
    startedAt: integer(span, 7) / 1e6,
    endedAt: integer(span, 8) / 1e6,
    attributes: attributesIn(messages(span, 9)),
    isError: integer(message(span, 15), 3) === 2,
  };
}

function lineIn(line: Uint8Array): Omit<ReceivedLine, "resource"> {
  return {
    at: integer(line, 1) / 1e6,
    severity: integer(line, 2),
    severityText: text(line, 3),
    body: text(message(line, 5), 1),
    attributes: attributesIn(messages(line, 6)),
    traceId: hex(line, 9),
    spanId: hex(line, 10),
  };
}

const TYPES = { gauge: 5, sum: 7, histogram: 9 } as const;

function metricIn(metric: Uint8Array): Omit<ReceivedMetric, "resource"> {
  const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
  const type = types.find((each) => messages(metric, TYPES[each]).length > 0);
  if (!type) throw new Error(`${text(metric, 1)} has no data of a known type`);
  const data = message(metric, TYPES[type]);
  return {
    name: text(metric, 1),
    description: text(metric, 2),
    unit: text(metric, 3),
    type,
    isCumulative: integer(data, 2) === 2,
    isMonotonic: type === "sum" && integer(data, 3) === 1,
    points: messages(data, 1).map((point) => pointIn(point, type === "histogram")),
  };
}

function pointIn(point: Uint8Array, isHistogram: boolean): ReceivedPoint {
  const times = { since: integer(point, 2) / 1e6, at: integer(point, 3) / 1e6 };
  if (!isHistogram) {
    const none = { sum: 0, count: 0, bounds: [], counts: [] };
    return { ...times, ...none, attributes: attributesIn(messages(point, 7)), value: double(point, 4) };
  }
  return {
    ...times,
    attributes: attributesIn(messages(point, 9)),
    value: null,
    sum: double(point, 5),
    count: integer(point, 4),
    bounds: packedDoubles(point, 7),
    counts: packedIntegers(point, 6),
  };
}

function attributesIn(pairs: readonly Uint8Array[]): Attributes {
  return Object.fromEntries(pairs.map((pair) => [text(pair, 1), valueIn(message(pair, 2))]));
}

function valueIn(value: Uint8Array): Value {
  if (messages(value, 1).length > 0) return text(value, 1);
  if (double(value, 4) !== 0) return double(value, 4);
  return integer(value, 3) || integer(value, 2) === 1;
}

/** Runs with this time limit of exports. Exporters read it when they are made. */
export async function withTimeLimit<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = String(ms);
  try {
    return await run();
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
  }
}
