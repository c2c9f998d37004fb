import type { AccountId } from "../domain/ids";
import type { Question } from "./judge";
import type { OwnedSchema, RulesLookup } from "./rules-lookup";
import type { RulesThreads } from "./rules-threads";
import { type MatchBudgetLeft, WHOLE_MATCH_BUDGET } from "./schema/match-budget";

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
