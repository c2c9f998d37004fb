import type { AccountId } from "../domain/ids";
import { type GateResult, PASSED } from "../event-types/payload-gate";
import type { IdempotencyClaim } from "../intake/new-delivery";
import { SendingRequest } from "../intake/new-delivery";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { traceOf } from "./edge/request-trace";
import { badRequest } from "./errors";
import { claimOf } from "./idempotency/idempotency";
import type { RequestBody } from "./json/request-body";

/** The results of earlier requests, by the claims that repeat their idempotency keys. */
export type Earlier<Result> = ReadonlyMap<IdempotencyClaim, Result>;

/** The sending account, the number of deliveries that led to its request, the request, and the span that continues its trace. */
export type SendOrigin = Readonly<{
  accountId: AccountId;
  hops: number;
  request: SendingRequest;
  traceparent: string | null;
}>;

export function senderOf(accountId: AccountId, hops: number, request: Request): SendOrigin {
  return { accountId, hops, request: new SendingRequest(request), traceparent: traceOf(request) };
}

/** The endpoints whose filters exclude a payload, and the filters among them that failed. */
export type Excluded = Pick<GateResult, "refusedBy" | "failed">;

/** Describes a kind of request that the intake accepts: its body, checks and answers. */
export type Acceptable<Body, Result extends { kind: string }> = {
  /** The request's path, part of its fingerprint. */
  path: string;
  /** Reads a body, or the item of a batch that `path` leads to. Throws 400. */
  read(body: RequestBody, path?: readonly string[]): Body;
  /** The body's own claim, which replaces an Idempotency-Key; null if it has none. */
  claimOf?(body: Body): IdempotencyClaim | null;
  /** Returns for each payload the reason of a refusal, and the endpoints whose filters exclude it. */
  check(
    accountId: AccountId,
    bodies: readonly Body[],
  ): readonly GateResult[] | Promise<readonly GateResult[]>;
  /** Passes the body to the intake synchronously. */
  accept(
    sender: SendOrigin,
    body: Body,
    idempotency: IdempotencyClaim | null,
    excluded: Excluded,
  ): Promise<Result>;
  /**
   * Finds the results of earlier requests with the same keys, in one query. Omits keys without an earlier request.
   */
  findEarlier(accountId: AccountId, claims: readonly IdempotencyClaim[]): Promise<Earlier<Result>>;
  /** Returns the JSON text of an accepted result; throws the error of a refused one. */
  jsonOf(result: Result): string;
};

/** Answers a POST that the intake accepts. Short, because every webhook passes it. */
export async function acceptOne<Body, Result extends { kind: string }>(
  acceptable: Acceptable<Body, Result>,
  { principal, allowance, body: given, hops }: Call,
  request: Request,
): Promise<Response> {
  const keyed = claimOf(request, acceptable.path, given.bytes);
  const body = acceptable.read(given);
  const idempotency = acceptable.claimOf?.(body) ?? keyed;
  const { accountId } = principal;
  const [checked = PASSED] = await acceptable.check(accountId, [body]);
  const { problem } = checked;
  const result = await (problem === null
    ? acceptable.accept(senderOf(accountId, hops, request), body, idempotency, checked)
    : earlierThan(problem, idempotency, idempotency && acceptable.findEarlier(accountId, [idempotency])));
  const json = acceptable.jsonOf(result);
  return result.kind === "replayed" ? replay(allowance, 201, json) : answerText(allowance, 201, json);
}

/**
 * Returns the earlier result with the same key, or throws 400 for the problem. A schema may be newer than the first request, whose
 * answer stays valid.
 */
export async function earlierThan<Result>(
  problem: string,
  idempotency: IdempotencyClaim | null,
  lookUp: Promise<Earlier<Result>> | null,
): Promise<Result> {
  const earlier = idempotency && (await lookUp)?.get(idempotency);
  if (!earlier) throw badRequest(problem);
  return earlier;
}

/** Turns the found keys into results. Skips null answers, because another request has used the key. */
export function earlierOf<Answer, Result>(
  taken: ReadonlyMap<{ idempotency: IdempotencyClaim }, Answer | null>,
  resultOf: (answer: Answer) => Result,
): Earlier<Result> {
  return new Map(
    [...taken].flatMap(([{ idempotency }, answer]) =>
      answer === null ? [] : [[idempotency, resultOf(answer)] as const],
    ),
  );
}
