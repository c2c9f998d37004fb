import type { Verdicts } from "../event-types/schema-gate";
import type { IdempotencyClaim } from "../intake/send";
import type { AccountId } from "../runtime/ids";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { badRequest } from "./errors";
import { claimOf } from "./idempotency/claim";
import { decodeText } from "./json-text";

/** What was answered before, by the claim of a key that was made again. */
export type Earlier<Result> = ReadonlyMap<IdempotencyClaim, Result>;

/** The account that sends, and the deliveries of Hermod that led it to. */
export type Sender = Readonly<{ accountId: AccountId; hops: number }>;

/** What a kind of request is about that the intake accepts: its body, its checks and its answers. */
export type Acceptable<Body, Result extends { kind: string }> = {
  /** Of the request, for fingerprints. */
  path: string;
  /** Reads a body, or the item of a batch that `path` leads to. Throws 400. */
  read(json: string, path?: readonly string[]): Body;
  /** For each payload of a request why it does not match its event type's schema, or null. */
  check(accountId: AccountId, bodies: readonly Body[]): Verdicts | Promise<Verdicts>;
  /** Gives it to the intake, at once. */
  accept(sender: Sender, body: Body, idempotency: IdempotencyClaim | null): Promise<Result>;
  /** What the same requests with the same keys were answered with before, of those that were; one look-up for all. */
  findEarlier(accountId: AccountId, claims: readonly IdempotencyClaim[]): Promise<Earlier<Result>>;
  /** The JSON text of what was accepted; throws what was refused. */
  jsonOf(result: Result): string;
};

/** A POST that the intake accepts: the way that has to be short. */
export async function acceptOne<Body, Result extends { kind: string }>(
  acceptable: Acceptable<Body, Result>,
  { principal, allowance, body: bytes, hops }: Call,
  request: Request,
): Promise<Response> {
  const idempotency = claimOf(request, acceptable.path, bytes);
  const body = acceptable.read(decodeText(bytes));
  const { accountId } = principal;
  const verdicts = acceptable.check(accountId, [body]);
  const [flaw = null] = verdicts instanceof Promise ? await verdicts : verdicts;
  const result = await (flaw === null
    ? acceptable.accept({ accountId, hops }, body, idempotency)
    : earlierThan(flaw, idempotency, idempotency && acceptable.findEarlier(accountId, [idempotency])));
  const json = acceptable.jsonOf(result);
  return result.kind === "replayed" ? replay(allowance, 201, json) : answerText(allowance, 201, json);
}

/** The schema may be younger than a first request with the same key, which stays answered. */
export async function earlierThan<Result>(
  flaw: string,
  idempotency: IdempotencyClaim | null,
  lookUp: Promise<Earlier<Result>> | null,
): Promise<Result> {
  const earlier = idempotency && (await lookUp)?.get(idempotency);
  if (!earlier) throw badRequest(flaw);
  return earlier;
}

/** Out of what was found of keys; null stands for one that was taken by another request. */
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
