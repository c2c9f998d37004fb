import type { Database } from "../db/database";
import type { AccountId } from "../domain/ids";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import type { Question } from "./schema/judge";
import { type MatchBudgetLeft, WHOLE_MATCH_BUDGET } from "./schema/match-budget";
import { SchemaLookup, type SchemaVersions } from "./schema-lookup";
import type { SchemaWorker } from "./schema-worker";

/** How long a list of an account's schemas is trusted, in milliseconds. */
const TRUST_MS = 2_000;
const REFRESH_AFTER_MS = 1_000;
const MAX_ACCOUNTS = 50_000;

/** An event to judge: its type, and its payload as JSON text. */
export type Payload = Readonly<{ event: string | null; data: string }>;
/** What is wrong with each payload; null if it matches. */
export type Verdicts = readonly (string | null)[];

type Judged = Readonly<{ verdicts: Verdicts; budget: MatchBudgetLeft }>;

/** Refuses payloads that do not match their event type's schema. */
export class SchemaGate {
  private readonly lookup: SchemaLookup;
  private readonly accounts: FreshCache<AccountId, null, SchemaVersions>;

  constructor(
    db: Database,
    clock: Clock,
    private readonly worker: SchemaWorker,
  ) {
    this.lookup = new SchemaLookup(db);
    this.accounts = new FreshCache({
      clock,
      read: (accountId) => this.lookup.versions(accountId),
      trustMs: TRUST_MS,
      refreshAfterMs: REFRESH_AFTER_MS,
      maxEntries: MAX_ACCOUNTS,
    });
  }

  /**
   * Judges the payloads of one request, which share one budget. Returns a promise only when something must be read or
   * judged first. Throws `DatabaseUnavailable` and `QueueFull`.
   */
  check(accountId: AccountId, payloads: readonly Payload[]): Verdicts | Promise<Verdicts> {
    if (payloads.every(({ event }) => event === null)) return payloads.map(() => null);
    const versions = this.accounts.fresh(accountId, null);
    if (versions !== undefined) return this.judge(accountId, versions, payloads);
    return this.accounts.load(accountId, null).then((read) => this.judge(accountId, read, payloads));
  }

  /** Reads the account's schemas again, after changes by this process. */
  forget(accountId: AccountId): void {
    this.accounts.forget(accountId);
  }

  private judge(
    accountId: AccountId,
    versions: SchemaVersions,
    payloads: readonly Payload[],
  ): Verdicts | Promise<Verdicts> {
    const verdicts = payloads.map((): string | null => null);
    const judged = [...payloads.keys()].filter((i) => versions.has(payloads[i]?.event ?? ""));
    if (judged.length === 0) return verdicts;
    return this.judgeByType(accountId, versions, payloads, judged, verdicts);
  }

  // One type after the other, since they share the budget.
  private async judgeByType(
    accountId: AccountId,
    versions: SchemaVersions,
    payloads: readonly Payload[],
    judged: readonly number[],
    verdicts: (string | null)[],
  ): Promise<Verdicts> {
    let budget = WHOLE_MATCH_BUDGET;
    for (const [event, places] of Map.groupBy(judged, (i) => payloads[i]?.event ?? "")) {
      const data = places.map((i) => payloads[i]?.data ?? "");
      const answer = await this.judgeType(
        { accountId, event, version: versions.get(event) ?? "" },
        data,
        budget,
      );
      budget = answer.budget;
      for (const [n, i] of places.entries()) verdicts[i] = answer.verdicts[n] ?? null;
    }
    return verdicts;
  }

  private async judgeType(
    { accountId, event, version }: { accountId: AccountId; event: string; version: string },
    payloads: readonly string[],
    budget: MatchBudgetLeft,
  ): Promise<Judged> {
    const key = `${accountId}/${event}`;
    const question: Extract<Question, { kind: "judge" }> = {
      kind: "judge",
      key,
      version,
      schema: null,
      payloads,
      budget,
    };
    const answer = await this.worker.judge(accountId, question);
    if (answer.kind === "judged") return answer;
    const found = await this.lookup.schema(accountId, event);
    // The schema was removed after the versions were read.
    if (found === null) return { verdicts: payloads.map(() => null), budget };
    const second = await this.worker.judge(accountId, { ...question, ...found });
    if (second.kind === "unknown") throw new Error("a schema that was given is unknown");
    return second;
  }
}
