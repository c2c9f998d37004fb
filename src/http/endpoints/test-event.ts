import { Type } from "@sinclair/typebox";
import { TEST_EVENT } from "../../endpoints/event-filter";
import type { SchemaGate } from "../../event-types/schema-gate";
import type { IdempotencyClaim, Intake } from "../../intake/send";
import type { EndpointId } from "../../runtime/ids";
import type { Call } from "../call";
import { badRequest, notFound } from "../errors";
import { fingerprintOf, idempotencyKeyOf } from "../idempotency-key";
import { MAX_DEPTH, readJsonBytes } from "../json-body";
import { decodeText, isJsonObject, type JsonObject, parseJsonObject } from "../json-text";
import { rawField } from "../webhooks/raw-field";
import { answerOf } from "../webhooks/sending";

export const TestEvent = Type.Object({
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "The payload, in place of the sample." }),
  ),
});

const SAMPLE: JsonObject = { test: true, message: "A test event, sent through Hermod on request" };

export type TestSendingOptions = { intake: Intake; schemaGate: SchemaGate };

/** POST /endpoints/:id/test: a delivery like any other, of an event type that stands for a test. */
export class TestSending {
  constructor(private readonly options: TestSendingOptions) {}

  async send(call: Call, endpointId: EndpointId, request: Request): Promise<Response> {
    const { intake, schemaGate } = this.options;
    const { accountId } = call.principal;
    const bytes = await readJsonBytes(request);
    const idempotency = claimOf(request, bytes);
    const { payload, data } = readTest(bytes);
    const flaw = await schemaGate.check(accountId, TEST_EVENT, payload);
    if (flaw !== null) throw badRequest(flaw);
    const result = await intake.accept({ accountId, endpointId, event: TEST_EVENT, data, idempotency });
    if (result.kind === "unknown_endpoint") throw notFound("There is no such endpoint");
    return answerOf(call, result);
  }
}

function claimOf(request: Request, bytes: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request);
  const { pathname } = new URL(request.url);
  return key === null ? null : { key, fingerprint: fingerprintOf("POST", pathname, bytes) };
}

/** The payload as a value, and as text byte for byte. Nothing at all is asked for in a body that is empty. */
function readTest(bytes: Uint8Array): { payload: JsonObject; data: string } {
  const json = bytes.length === 0 ? "{}" : decodeText(bytes);
  const payload = parseJsonObject(json).data;
  if (payload === undefined) return { payload: SAMPLE, data: JSON.stringify(SAMPLE) };
  const raw = rawField(json, "data");
  if (raw === null || !isJsonObject(payload)) throw badRequest("data must be a JSON object");
  if (raw.depth > MAX_DEPTH) throw badRequest(`data is nested deeper than ${MAX_DEPTH} levels`);
  return { payload, data: raw.text };
}
