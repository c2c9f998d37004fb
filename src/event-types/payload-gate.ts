import type { Database } from "../db/database";
import { matches } from "../domain/event-filter";
import { type AccountId, type EndpointId, INSTALLATION } from "../domain/ids";
import { isTest } from "../domain/test-event";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import type { FilterVerdict } from "./filter/payload-filter";
import { MAX_REQUEST_STEPS, type Question } from "./judge";
import {
  type AccountRules,
  type EndpointFilter,
  type OwnedSchema,
  RulesLookup,
  weightOfRules,
} from "./rules-lookup";
import type { RulesThreads } from "./rules-threads";
import { type MatchBudgetLeft, WHOLE_MATCH_BUDGET } from "./schema/match-budget";

/** An account's cached schemas and filters are trusted for this long. */
const TRUST_MS = 2_000;
const REFRESH_AFTER_MS = 1_000;
/** Most cached accounts. An account with filters counts as several. */
const MAX_ACCOUNTS = 50_000;

/** A payload, and the endpoint to which it is sent; absent for an event, which goes to all endpoints that want it. */
export type SentPayload = Payload & Readonly<{ endpointId?: EndpointId }>;

/** A filter of an endpoint that failed for a payload. */
export type FailedFilter = Readonly<{ endpointId: EndpointId; filter: string; error: string }>;

export type GateResult = Readonly<{
  /** The reason for which the payload is refused; null if it is accepted. */
  problem: string | null;
  /** The endpoints whose event types match and whose filter does not. */
  refusedBy: readonly EndpointId[];
  /** The filters among them that failed. */
  failed: readonly FailedFilter[];
}>;
type GateResults = readonly GateResult[];

/** The result for an accepted payload. */
export const PASSED: GateResult = { problem: null, refusedBy: [], failed: [] };

/** The refusal if the filters of the request's payloads together take too many steps. */
const TOO_MANY_STEPS =
  "data is too expensive to match with the endpoints' filters in this request; send this item in a separate request";

/** Refuses payloads that do not match their event type's schema, and finds the endpoints whose filters exclude them. */
export class PayloadGate {
  private readonly accounts: FreshCache<AccountId, null, AccountRules>;
  private readonly schemas: SchemaValidator;

  constructor(
    db: Database,
    clock: Clock,
    private readonly thread: Pick<RulesThreads, "judge" | "filter">,
  ) {
    const lookup = new RulesLookup(db);
    this.schemas = new SchemaValidator(lookup, thread);
    this.accounts = new FreshCache({
      clock,
      read: (accountId) => lookup.rules(accountId),
      trustMs: TRUST_MS,
      refreshAfterMs: REFRESH_AFTER_MS,
      maxEntries: MAX_ACCOUNTS,
      weigh: weightOfRules,
    });
  }

  /**
   * Checks the payloads of one request, which share one budget. Returns a promise only if something must be read or evaluated
   * first. Throws `DatabaseUnavailable` and `QueueFull`.
   */
  check(accountId: AccountId, payloads: readonly SentPayload[]): GateResults | Promise<GateResults> {
    const [own, common] = [this.fresh(accountId), this.fresh(INSTALLATION)];
    if (own instanceof Promise || common instanceof Promise)
      return Promise.all([own, common]).then((read) => this.judge(accountId, ...read, payloads));
    return this.judge(accountId, own, common, payloads);
  }

  private fresh(accountId: AccountId): AccountRules | Promise<AccountRules> {
    return this.accounts.fresh(accountId, null) ?? this.accounts.load(accountId, null);
  }

  /** Drops the account's cached schemas and filters, after a change by this process. */
  forget(accountId: AccountId): void {
    this.accounts.forget(accountId);
  }

  private judge(
    accountId: AccountId,
    { schemas, filters }: AccountRules,
    common: AccountRules,
    payloads: readonly SentPayload[],
  ): GateResults | Promise<GateResults> {
    // The account's schema wins. The installation's are not copied, since many accounts are cached.
    const schemaOf: SchemaOf = (event) =>
      owned(accountId, schemas.get(event)) ?? owned(INSTALLATION, common.schemas.get(event));
    const problems = this.schemas.judge(accountId, schemaOf, payloads);
    if (filters.length > 0) return this.judgeByFilters(accountId, filters, payloads, problems);
    return problems instanceof Promise ? problems.then(resultsOf) : resultsOf(problems);
  }

  // One payload after the other, since they share the budget.
  private async judgeByFilters(
    accountId: AccountId,
    filters: readonly EndpointFilter[],
    payloads: readonly SentPayload[],
    problems: Problems | Promise<Problems>,
  ): Promise<GateResults> {
    const results = [...resultsOf(await problems)];
    let steps = MAX_REQUEST_STEPS;
    for (const [i, payload] of payloads.entries()) {
      const asked = results[i] === PASSED ? filters.filter((each) => isAbout(each, payload)) : [];
      if (asked.length === 0) continue;
      const { event, data } = payload;
      const answer = await this.thread.filter(accountId, {
        kind: "filter",
        event,
        data,
        filters: asked,
        steps,
      });
      steps = answer.steps;
      if (answer.verdicts === null) results[i] = refusal(TOO_MANY_STEPS);
      else results[i] = exclusion(asked, answer.verdicts);
    }
    return results;
  }
}

function owned(owner: AccountId, version: string | undefined): OwnedSchema | null {
  return version === undefined ? null : { owner, version };
}

function resultsOf(problems: Problems): GateResults {
  return problems.map((problem) => (problem === null ? PASSED : refusal(problem)));
}

function refusal(problem: string): GateResult {
  return { ...PASSED, problem };
}

/** Accepts a payload for the endpoints whose filters match. */
function exclusion(asked: readonly EndpointFilter[], verdicts: readonly FilterVerdict[]): GateResult {
  const refusing = asked.filter((_, n) => verdicts[n] !== "match");
  if (refusing.length === 0) return PASSED;
  const failed = asked.flatMap(({ endpointId, filter }, n): FailedFilter[] => {
    const verdict = verdicts[n];
    return typeof verdict === "object" ? [{ endpointId, filter, error: verdict.error }] : [];
  });
  return { problem: null, refusedBy: refusing.map(({ endpointId }) => endpointId), failed };
}

/** True if the filter decides whether the endpoint gets the payload. */
function isAbout({ endpointId, eventTypes }: EndpointFilter, payload: SentPayload): boolean {
  if (isTest(payload.event)) return false;
  if (payload.endpointId !== undefined && payload.endpointId !== endpointId) return false;
  return matches(eventTypes, payload.event);
}

/** An event's type, and its payload as JSON text. */
export type Payload = Readonly<{ event: string | null; data: string }>;
/** The problem of each payload; null if it matches. */
export type Problems = readonly (string | null)[];

/** Returns the schema of an event type; null for none. */
export type SchemaOf = (event: string) => OwnedSchema | null;

type JudgedPayloads = Readonly<{ verdicts: Problems; budget: MatchBudgetLeft }>;

/** Validates payloads with the schemas of their event types. */
export class SchemaValidator {
  constructor(
    private readonly lookup: Pick<RulesLookup, "schema">,
    private readonly thread: Pick<RulesThreads, "judge">,
  ) {}

  /** Validates the payloads of one request, which share one budget. Returns a promise only if one has a schema. */
  judge(
    accountId: AccountId,
    schemaOf: SchemaOf,
    payloads: readonly Payload[],
  ): Problems | Promise<Problems> {
    const verdicts = payloads.map((): string | null => null);
    const judged = [...payloads.keys()].filter((i) => schemaOf(payloads[i]?.event ?? "") !== null);
    if (judged.length === 0) return verdicts;
    return this.judgeByType(accountId, schemaOf, payloads, judged, verdicts);
  }

  // One type after the other, since they share the budget.
  private async judgeByType(
    accountId: AccountId,
    schemaOf: SchemaOf,
    payloads: readonly Payload[],
    judged: readonly number[],
    verdicts: (string | null)[],
  ): Promise<Problems> {
    let budget = WHOLE_MATCH_BUDGET;
    for (const [event, indexes] of Map.groupBy(judged, (i) => payloads[i]?.event ?? "")) {
      const data = indexes.map((i) => payloads[i]?.data ?? "");
      const owned = schemaOf(event) ?? { owner: accountId, version: "" };
      const answer = await this.judgeType(accountId, { ...owned, event }, data, budget);
      budget = answer.budget;
      for (const [n, i] of indexes.entries()) verdicts[i] = answer.verdicts[n] ?? null;
    }
    return verdicts;
  }

  private async judgeType(
    accountId: AccountId,
    { owner, event, version }: OwnedSchema & { event: string },
    payloads: readonly string[],
    budget: MatchBudgetLeft,
  ): Promise<JudgedPayloads> {
    const key = `${owner}/${event}`;
    const question: Extract<Question, { kind: "judge" }> = {
      kind: "judge",
      key,
      version,
      schema: null,
      payloads,
      budget,
    };
    const answer = await this.thread.judge(accountId, question);
    if (answer.kind === "judged") return answer;
    const found = await this.lookup.schema(owner, event);
    // The schema was removed after the versions were read.
    if (found === null) return { verdicts: payloads.map(() => null), budget };
    const second = await this.thread.judge(accountId, { ...question, ...found });
    if (second.kind === "unknown")
      throw new Error(
        "the thread that checks schemas and filters does not know a schema that it was just given",
      );
    return second;
  }
}
