import type { Database } from "../../db/database";
import type { SchemaGate } from "../../event-types/schema-gate";
import type { IdempotencyClaim, Intake, SendResult } from "../../intake/send";
import type { AccountId } from "../../runtime/ids";
import { answerText, replay } from "../answer";
import type { Call } from "../call";
import { badRequest, forbidden } from "../errors";
import { keyConflict } from "../idempotency";
import { fingerprintOf, idempotencyKeyOf } from "../idempotency-key";
import { readJsonBytes } from "../json-body";
import { acceptedJson } from "./accepted";
import { findEarlierSend } from "./earlier-send";
import { readSend, unknownEndpoint } from "./send-body";

const PATH = "/v1/webhooks";

export type SendingOptions = { intake: Intake; schemaGate: SchemaGate; db: Database };

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
    const result =
      flaw === null
        ? await this.options.intake.accept({ accountId, endpointId, event, data, idempotency })
        : await this.resultOfMisfit(accountId, idempotency, flaw);
    return answerOf(call, result);
  }

  /** The schema may be younger than a first request with the same key, which stays answered. */
  private async resultOfMisfit(
    accountId: AccountId,
    idempotency: IdempotencyClaim | null,
    flaw: string,
  ): Promise<SendResult> {
    const earlier = idempotency && (await findEarlierSend(this.options.db, accountId, idempotency));
    if (earlier === null) throw badRequest(flaw);
    return { kind: "replayed", delivery: earlier };
  }
}

function claimOf(request: Request, bytes: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, fingerprint: fingerprintOf("POST", PATH, bytes) };
}

/** The answer to a send, or the refusal of it. */
export function answerOf({ allowance }: Call, result: SendResult): Response {
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
