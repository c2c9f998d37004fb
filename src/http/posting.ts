import type { Database } from "../db/database";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import type { Effect, Idempotency } from "./idempotency";
import { fingerprintOf, idempotencyKeyOf } from "./idempotency-key";
import { readJsonBytes } from "./json-body";

/** A POST whose effect is one transaction, with or without an Idempotency-Key. */
export class Posting {
  constructor(
    private readonly db: Database,
    private readonly idempotency: Idempotency,
  ) {}

  /** Reads the body, checks it with `prepare`, and does once what that gives back. */
  async handle(call: Call, request: Request, prepare: (bytes: Uint8Array) => Effect): Promise<Response> {
    const bytes = await readJsonBytes(request);
    const key = idempotencyKeyOf(request);
    const effect = prepare(bytes);
    if (key === null) {
      const { status, json } = await this.db.transaction(effect);
      return answerText(call.allowance, status, json);
    }
    const fingerprint = fingerprintOf(request.method, new URL(request.url).pathname, bytes);
    const claim = { accountId: call.principal.accountId, key, fingerprint };
    const { status, json, replayed } = await this.idempotency.once(claim, effect);
    return replayed ? replay(call.allowance, status, json) : answerText(call.allowance, status, json);
  }
}

/** What a POST answers that created something. */
export function created(body: unknown) {
  return { status: 201, json: JSON.stringify(body) };
}
