import { requestingKeyOf } from "../accounts/authentication/principal";
import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/database";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { ApiError } from "./errors";
import type { Claim, Done, Effect, Idempotency } from "./idempotency/idempotency";
import { fingerprintOf, idempotencyKeyOf } from "./idempotency/idempotency";

/** Checks a request's body and returns its effect. Throws to refuse. */
export type Prepare = () => Effect;

/**
 * Answers requests with one transaction, with or without an Idempotency-Key. Calls `afterCommit` of the result once it is
 * committed.
 */
export class Posting {
  constructor(
    private readonly db: Database,
    private readonly idempotency: Idempotency,
  ) {}

  /** Handles a POST. */
  handle(call: Call, request: Request, prepare: Prepare): Promise<Response> {
    return this.carryOut(call, claimOf(call, request), prepare);
  }

  /**
   * Handles a request whose answer has a secret. Only the API key that got the answer gets it again, since other keys of the
   * account may have fewer permissions, or may have leaked.
   */
  handleSecret(call: Call, request: Request, prepare: Prepare): Promise<Response> {
    return this.carryOut(call, claimOf(call, request, requesterOf(call)), prepare);
  }

  /** Repeats the answer that `handleSecret` gave to the same request; null if there was none. */
  async repeatSecret(call: Call, request: Request): Promise<Response | null> {
    const claim = claimOf(call, request, requesterOf(call));
    const earlier = claim && (await this.idempotency.earlier(claim));
    return earlier && replay(call.allowance, earlier.status, earlier.json);
  }

  /**
   * Handles a POST whose work is not one transaction, because it reads, or may run twice. Holds no connection during the work. A
   * repeat gets the stored answer, if there is one.
   */
  async handleApart(call: Call, request: Request, work: () => Promise<Done>): Promise<Response> {
    const claim = claimOf(call, request);
    const earlier = claim && (await this.idempotency.earlier(claim));
    if (earlier) return replay(call.allowance, earlier.status, earlier.json);
    const done = await work();
    return claim === null ? answerTo(call, done) : this.carryOutOnce(call, claim, () => async () => done);
  }

  private async carryOut(call: Call, claim: Claim | null, prepare: Prepare): Promise<Response> {
    if (claim !== null) return this.carryOutOnce(call, claim, prepare);
    const effect = prepare();
    const done = await untilNoDeadlock(() => this.db.transaction(effect));
    return answerTo(call, done);
  }

  private async carryOutOnce(call: Call, claim: Claim, prepare: Prepare): Promise<Response> {
    // Checks the body only for new keys, because a stored answer stays valid even if the rules have changed since.
    const once = this.idempotency.once(claim, async (sql) => prepare()(sql));
    const result = await once.catch((error) => {
      // An invalid body is a 400 even if its key conflicts.
      if (error instanceof ApiError && error.errorCode === "CONFLICT") prepare();
      throw error;
    });
    return result.replayed ? replay(call.allowance, result.status, result.json) : answerTo(call, result);
  }
}

function claimOf(
  { principal, body }: Call,
  { method, url, headers }: Request,
  requester?: string,
): Claim | null {
  const key = idempotencyKeyOf(headers);
  if (key === null) return null;
  // A portal session must not get answers that other callers of the account got.
  const by = requester ?? (principal.session?.portal ? requesterOf({ principal }) : undefined);
  const fingerprint = fingerprintOf(method, pathOf(url), body.bytes, by);
  return { accountId: principal.accountId, key, fingerprint };
}

/** Returns the requester. All JWTs of an account count as one, since a client gets a new JWT every few minutes. */
function requesterOf({ principal }: Pick<Call, "principal">): string {
  return ` by ${requestingKeyOf(principal) ?? principal.session?.id ?? "JWT"}`;
}

function answerTo({ allowance }: Call, { status, json, afterCommit }: Done): Response {
  afterCommit?.();
  return answerText(allowance, status, json);
}

/** Returns the answer of a POST that created something. */
export function created(body: unknown) {
  return { status: 201, json: JSON.stringify(body) };
}

/** Cuts the path out of the text, because `URL` throws for a URL with an empty Host header. */
function pathOf(url: string): string {
  return /^(?:https?:\/\/[^/]*)?([^?#]*)/i.exec(url)?.[1] ?? url;
}
