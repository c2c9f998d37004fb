import { type TObject, Type } from "@sinclair/typebox";
import { rawField, rawItems } from "../client/raw-field";
import type { AccountId } from "../domain/ids";
import { type GateResult, PASSED } from "../event-types/payload-gate";
import type { IdempotencyClaim } from "../intake/new-delivery";
import { type Acceptable, type Earlier, earlierThan, type SendOrigin, senderOf } from "./accepting";
import { answerText, replay } from "./answer";
import type { Call } from "./call";
import { badRequest, unavailable } from "./errors";
import { toApiError } from "./failure";
import type { FailureLog } from "./failure-log";
import type { Idempotency } from "./idempotency/idempotency";
import { claimOf } from "./idempotency/idempotency";
import { FREE, knownFields } from "./json/json-text";
import { RequestBody } from "./json/request-body";

/** Most items that one request may hold. */
export const BATCH_MAX_ITEMS = 1_000;

const UNAVAILABLE = 503;

export type BatchOptions = {
  /** The request's field with the items. */
  items: string;
  /** A result's field with the accepted item. */
  item: string;
  idempotency: Idempotency;
  failures: FailureLog;
};

type CheckedItem<Body> = { body: Body } & GateResult;
type ItemResult = { status: number; json: string; isReplay: boolean };

/**
 * Answers a POST with many items, and accepts or refuses each by itself. Items of one endpoint keep their order. With an
 * Idempotency-Key every item gets a key of its own, so a repeat accepts only the missing items.
 */
export class Batch<Body, Result extends { kind: string }> {
  constructor(
    private readonly acceptable: Acceptable<Body, Result>,
    private readonly options: BatchOptions,
  ) {}

  async handle({ principal, allowance, body, hops }: Call, request: Request): Promise<Response> {
    const { accountId } = principal;
    const claim = claimOf(request, `${this.acceptable.path}/batch`, body.bytes);
    const items = itemsOf(body, this.options.items);
    const prefix = claim && (await this.options.idempotency.reserve({ accountId, ...claim }));
    const results = await this.acceptAll(
      request,
      senderOf(accountId, hops, request),
      items,
      (i) => claim && { ...claim, key: `${prefix}${i}` },
    );
    // No item is known to be accepted, so the whole request fails.
    if (results.every(({ status }) => status === UNAVAILABLE)) throw unavailable();
    const json = `{"results":[${results.map((each) => each.json).join(",")}]}`;
    const accepted = results.filter(({ status }) => status < 400);
    const isReplay = accepted.length > 0 && accepted.every((each) => each.isReplay);
    return isReplay ? replay(allowance, 200, json) : answerText(allowance, 200, json);
  }

  // Checks all items before the intake gets the first, so that no accepted item waits for another item's check.
  private async acceptAll(
    request: Request,
    sender: SendOrigin,
    items: readonly string[],
    claimFor: (i: number) => IdempotencyClaim | null,
  ): Promise<ItemResult[]> {
    const { accountId } = sender;
    const checked = await this.checkAll(accountId, items);
    const { claimOf } = this.acceptable;
    const claims = checked.map((each, i) => {
      const own = each instanceof Error ? null : claimOf?.(each.body);
      return own ?? claimFor(i);
    });
    const earlier = this.findEarlier(accountId, checked, claims);
    const results = checked.map((each, i) => this.accept(sender, each, claims[i] ?? null, earlier));
    return Promise.all(results.map((result) => this.resultOf(request, result)));
  }

  private async checkAll(
    accountId: AccountId,
    items: readonly string[],
  ): Promise<(CheckedItem<Body> | Error)[]> {
    const read = items.map((item, i) => this.readItem(item, i));
    const bodies = read.filter((each): each is { body: Body } => !(each instanceof Error));
    try {
      const results = await this.acceptable.check(
        accountId,
        bodies.map(({ body }) => body),
      );
      const resultOf = new Map(bodies.map((each, i) => [each, results[i] ?? PASSED]));
      return read.map((each) =>
        each instanceof Error ? each : { body: each.body, ...(resultOf.get(each) ?? PASSED) },
      );
    } catch (thrown) {
      return read.map((each) => (each instanceof Error ? each : asError(thrown)));
    }
  }

  private readItem(json: string, i: number): { body: Body } | Error {
    if (!json.startsWith("{")) return badRequest("Each item must be a JSON object");
    try {
      return { body: this.acceptable.read(RequestBody.part(json, FREE), [this.options.items, String(i)]) };
    } catch (thrown) {
      return asError(thrown);
    }
  }

  /** Looks up earlier results of all refused items with a key; null if there are none. */
  private findEarlier(
    accountId: AccountId,
    checked: readonly (CheckedItem<Body> | Error)[],
    claims: readonly (IdempotencyClaim | null)[],
  ): Promise<Earlier<Result>> | null {
    const refused = claims.flatMap((claim, i) => (claim !== null && hasProblem(checked[i]) ? [claim] : []));
    return refused.length === 0 ? null : this.acceptable.findEarlier(accountId, refused);
  }

  private async accept(
    sender: SendOrigin,
    checked: CheckedItem<Body> | Error,
    claim: IdempotencyClaim | null,
    earlier: Promise<Earlier<Result>> | null,
  ): Promise<Result> {
    if (checked instanceof Error) throw checked;
    const { body, problem } = checked;
    if (problem !== null) return earlierThan(problem, claim, earlier);
    return this.acceptable.accept(sender, body, claim, checked);
  }

  private async resultOf(request: Request, accepted: Promise<Result>): Promise<ItemResult> {
    try {
      const result = await accepted;
      const json = `{"status":201,"${this.options.item}":${this.acceptable.jsonOf(result)}}`;
      return { status: 201, json, isReplay: result.kind === "replayed" };
    } catch (thrown) {
      const { status, errorCode: code, message } = toApiError(thrown, request, this.options.failures);
      return { status, json: JSON.stringify({ status, error: { code, message } }), isReplay: false };
    }
  }
}

/**
 * Returns the JSON texts of the items. The check of each item refuses its unknown fields, so that they fail only that item.
 */
function itemsOf(body: RequestBody, name: string): string[] {
  const model: TObject = Type.Object({ [name]: Type.Unknown() });
  const items = knownFields(body, model)[name];
  if (items === undefined) throw badRequest(`${name} is required`);
  if (!Array.isArray(items) || items.length < 1 || items.length > BATCH_MAX_ITEMS) {
    throw badRequest(`${name} must be an array of 1 to ${BATCH_MAX_ITEMS} items`);
  }
  return rawItems(rawField(body.text, name)?.text ?? "[]");
}

function hasProblem(checked: CheckedItem<unknown> | Error | undefined): boolean {
  return checked !== undefined && "problem" in checked && checked.problem !== null;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
