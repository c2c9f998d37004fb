import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { ApiError } from "./errors";
import { fingerprintOf, idempotencyKeyOf } from "./idempotency/claim";
import type { Claim, Done, Effect, Idempotency } from "./idempotency/idempotency";

/** Checks a request's body and gives back what the request does; it refuses by throwing. */
export type Prepare = (bytes: Uint8Array) => Effect;

/** Looks at what was answered to another with the same key, and refuses by throwing. */
export type Review = (json: string) => void;

/** A POST whose effect is one transaction, with or without an Idempotency-Key; what it announces is told after the commit. */
export class Posting {
  constructor(
    private readonly db: Database,
    private readonly idempotency: Idempotency,
  ) {}

  /** `review` is for answers that not everyone who may ask may have. */
  async handle(call: Call, request: Request, prepare: Prepare, review?: Review): Promise<Response> {
    const bytes = call.body;
    const key = idempotencyKeyOf(request);
    if (key !== null) {
      const fingerprint = fingerprintOf(request.method, pathOf(request.url), bytes);
      const claim = { accountId: call.principal.accountId, key, fingerprint };
      return this.handleOnce(call, claim, () => prepare(bytes), review);
    }
    const effect = prepare(bytes);
    const done = await untilNoDeadlock(() => this.db.transaction(effect));
    return answerTo(call, done);
  }

  private async handleOnce(
    call: Call,
    claim: Claim,
    check: () => Effect,
    review?: Review,
  ): Promise<Response> {
    // Checked only when the key is new: an answer stands, also when the rules would be others by now.
    const once = this.idempotency.once(claim, async (sql) => check()(sql));
    const result = await once.catch((error) => {
      // A body that is wrong by itself is a 400 before its key is a 409.
      if (error instanceof ApiError && error.errorCode === "CONFLICT") check();
      throw error;
    });
    if (!result.replayed) return answerTo(call, result);
    review?.(result.json);
    return replay(call.allowance, result.status, result.json);
  }
}

function answerTo({ allowance }: Call, { status, json, announce }: Done): Response {
  announce?.();
  return answerText(allowance, status, json);
}

/** What a POST answers that created something. */
export function created(body: unknown) {
  return { status: 201, json: JSON.stringify(body) };
}

/** Out of the text: an empty or odd Host header makes a URL, or a path alone, that `URL` does not take. */
function pathOf(url: string): string {
  return /^(?:https?:\/\/[^/]*)?([^?#]*)/i.exec(url)?.[1] ?? url;
}
