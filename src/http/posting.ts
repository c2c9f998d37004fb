import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { ApiError } from "./errors";
import { fingerprintOf, idempotencyKeyOf } from "./idempotency/claim";
import type { Claim, Done, Effect, Idempotency } from "./idempotency/idempotency";

/** Checks a request's body and returns its effect. Throws to refuse. */
export type Prepare = (bytes: Uint8Array) => Effect;

/** Checks a stored answer before it is repeated. Throws to refuse. */
export type Review = (json: string) => void;

/** Answers a POST whose effect is one transaction, with or without an Idempotency-Key. Announces after the commit. */
export class Posting {
  constructor(
    private readonly db: Database,
    private readonly idempotency: Idempotency,
  ) {}

  /** Handles the request. `review` guards stored answers that not every caller may see. */
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
    // Checks the body for new keys alone: a stored answer stays valid when the rules have changed since.
    const once = this.idempotency.once(claim, async (sql) => check()(sql));
    const result = await once.catch((error) => {
      // An invalid body is a 400 even if its key conflicts.
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

/** Returns the answer of a POST that created something. */
export function created(body: unknown) {
  return { status: 201, json: JSON.stringify(body) };
}

/** Cuts the path out of the text. `URL` throws for URLs with an empty or odd Host header. */
function pathOf(url: string): string {
  return /^(?:https?:\/\/[^/]*)?([^?#]*)/i.exec(url)?.[1] ?? url;
}
