export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number>;
  isError: boolean;
  service: string;
};

/** A collector of OTLP over HTTP that decodes the spans it gets. */
export function startCollector() {
  const spans: ReceivedSpan[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
      const bytes = new Uint8Array(await request.arrayBuffer());
      const isZipped = request.headers.get("content-encoding") === "gzip";
      spans.push(...decode(isZipped ? Bun.gunzipSync(bytes) : bytes));
      return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, spans, stop: () => server.stop(true) };
}

// The field numbers are those of opentelemetry-proto 1.x, trace/v1/trace.proto.
function decode(request: Uint8Array): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const [resource = new Uint8Array()] = messages(resourceSpans, 1);
    const service = String(attributesIn(messages(resource, 1))["service.name"]);
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => ({ ...spanIn(span), service })),
    );
  });
}

function spanIn(span: Uint8Array): Omit<ReceivedSpan, "service"> {
  const hex = (no: number) => Buffer.from(messages(span, no)[0] ?? []).toString("hex");
  const [status] = messages(span, 15);
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: Buffer.from(messages(span, 5)[0] ?? []).toString(),
    kind: number(span, 6),
    startedAt: number(span, 7) / 1e6,
    endedAt: number(span, 8) / 1e6,
    attributes: attributesIn(messages(span, 9)),
    isError: status !== undefined && number(status, 3) === 2,
  };
}

function attributesIn(pairs: readonly Uint8Array[]): Record<string, string | number> {
  const entries = pairs.map((pair) => {
    const [key = new Uint8Array()] = messages(pair, 1);
    const [value = new Uint8Array()] = messages(pair, 2);
    const [text] = messages(value, 1);
    return [Buffer.from(key).toString(), text ? Buffer.from(text).toString() : number(value, 3)] as const;
  });
  return Object.fromEntries(entries);
}

type Field = { no: number; value: Uint8Array | bigint };

function messages(bytes: Uint8Array, no: number): Uint8Array[] {
  return fieldsIn(bytes).flatMap((each) =>
    each.no === no && typeof each.value !== "bigint" ? [each.value] : [],
  );
}

function number(bytes: Uint8Array, no: number): number {
  const field = fieldsIn(bytes).find((each) => each.no === no && typeof each.value === "bigint");
  return Number(field?.value ?? 0n);
}

/** The fields of a protobuf message: varints, fixed numbers, and bytes. */
function fieldsIn(bytes: Uint8Array): Field[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const taken = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [no, kind] = [tag >> 3, tag & 7];
    if (kind === 0) fields.push({ no, value: varint() });
    else if (kind === 2) fields.push({ no, value: taken(Number(varint())) });
    else if (kind === 1)
      fields.push({ no, value: new DataView(taken(8).slice().buffer).getBigUint64(0, true) });
    else if (kind === 5)
      fields.push({ no, value: BigInt(new DataView(taken(4).slice().buffer).getUint32(0, true)) });
    else throw new Error(`no wire type ${kind}`);
  }
  return fields;
}
