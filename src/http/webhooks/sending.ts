import type { SchemaGate } from "../../event-types/schema-gate";
import type { IdempotencyClaim, Intake, SendResult } from "../../intake/send";
import { answerText, replay } from "../answer";
import type { Call } from "../call";
import { badRequest, forbidden } from "../errors";
import { keyConflict } from "../idempotency";
import { fingerprintOf, idempotencyKeyOf } from "../idempotency-key";
import { readJsonBytes } from "../json-body";
import { acceptedJson } from "./accepted";
import { readSend, unknownEndpoint } from "./send-body";

const PATH = "/v1/webhooks";

export type SendingOptions = { intake: Intake; schemaGate: SchemaGate };

/** POST /webhooks: the way that has to be short. */
export class Sending {
  constructor(private readonly options: SendingOptions) {}

  async send(call: Call, request: Request): Promise<Response> {
    const bytes = await readJsonBytes(request);
    const idempotency = claimOf(request, bytes);
    const { endpointId, event, data, payload } = readSend(bytes);
    const { accountId } = call.principal;
    const verdict = this.options.schemaGate.check(accountId, event, payload);
    const flaw = verdict instanceof Promise ? await verdict : verdict;
    if (flaw !== null) throw badRequest(flaw);
    const result = await this.options.intake.accept({ accountId, endpointId, event, data, idempotency });
    return answerOf(call, result);
  }
}

function claimOf(request: Request, bytes: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, fingerprint: fingerprintOf("POST", PATH, bytes) };
}

function answerOf({ allowance }: Call, result: SendResult): Response {
  switch (result.kind) {
    case "accepted":
      return answerText(allowance, 201, acceptedJson(result.delivery));
    case "replayed":
      return replay(allowance, 201, acceptedJson(result.delivery));
    case "key_conflict":
      throw keyConflict();
    case "unknown_endpoint":
      throw unknownEndpoint();
    case "over_monthly_limit":
      throw forbidden(`The plan's limit of ${result.limit} webhooks a month is reached`);
  }
}
