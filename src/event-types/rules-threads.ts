import type { AccountId } from "../domain/ids";
import { BoundedMap } from "../runtime/bounded-map";
import { type Clock, systemClock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import type { ReadYaml } from "./catalogue/yaml";
import type { FilterVerdict } from "./filter/payload-filter";
import type { Answer, FilterQuestion, Question } from "./judge";
import { RulesThread } from "./rules-thread";
import type { CheckedSchema } from "./schema/payload-schema";

/** Limit of one question, in CPU time. Budgets keep the answer below half of it. */
export const QUESTION_MS = 1_000;

type AnswerOfKind<Kind extends Answer["kind"]> = Extract<Answer, { kind: Kind }>;

/** The account's rules took too long a moment ago, and are not evaluated before this time has passed. */
export class RulesSuspended extends Error {
  constructor(readonly retryAfterMs: number) {
    super("the account's schemas and filters took too long");
    this.name = "RulesSuspended";
  }
}

/**
 * Checks an account's rules (schemas and filters) and evaluates them on payloads, in two threads: one for accounts whose rules
 * have been slow lately, and one for all others, which therefore never wait for them.
 *
 * Compiling a schema takes up to 0.1 s and can't be interrupted, and validating a payload runs a program that a customer wrote.
 * A document in YAML takes up to 0.3 s. In the main thread each would delay every request. Every method throws `QueueFull` if too
 * many questions wait, and `RulesSuspended` if the account's rules made a thread fail.
 */
export class RulesThreads {
  private readonly common: RulesThread;
  private readonly apart: RulesThread;
  private readonly allowance = new RulesAllowance();

  constructor(
    log: Pick<Log, "error">,
    private readonly clock: Clock = systemClock,
    questionMs = QUESTION_MS,
  ) {
    this.common = new RulesThread({ log, clock, questionMs });
    this.apart = new RulesThread({ log, clock, questionMs });
  }

  /** Checks that a JSON text can be used as a schema. */
  async check(accountId: AccountId, schema: string): Promise<CheckedSchema> {
    return (await this.put(accountId, { kind: "check", schema }, "checked")).checked;
  }

  /** Reads a document in YAML. */
  async readYaml(accountId: AccountId, text: string): Promise<ReadYaml> {
    return (await this.put(accountId, { kind: "read_yaml", text }, "yaml_read")).read;
  }

  /** Returns the problem of a filter, to follow its name; null if there is none. */
  async checkFilter(accountId: AccountId, filter: string): Promise<string | null> {
    return (await this.put(accountId, { kind: "check_filter", filter }, "filter_checked")).problem;
  }

  /** Validates payloads with a schema. */
  judge(
    accountId: AccountId,
    question: Extract<Question, { kind: "judge" }>,
  ): Promise<AnswerOfKind<"judged" | "unknown">> {
    return this.put(accountId, question, "judged", "unknown");
  }

  /** Evaluates filters for an event, expensive ones in several turns. */
  async filter(accountId: AccountId, question: FilterQuestion): Promise<AnswerOfKind<"filtered">> {
    const verdicts: FilterVerdict[] = [];
    for (let { steps } = question; ; ) {
      const filters = question.filters.slice(verdicts.length);
      const answer = await this.put(accountId, { ...question, filters, steps }, "filtered");
      if (answer.verdicts === null) return answer;
      verdicts.push(...answer.verdicts);
      steps = answer.steps;
      if (verdicts.length >= question.filters.length) return { kind: "filtered", verdicts, steps };
    }
  }

  close(): void {
    this.common.close();
    this.apart.close();
  }

  private async put<Kind extends Answer["kind"]>(
    accountId: AccountId,
    question: Question,
    ...kinds: readonly Kind[]
  ): Promise<AnswerOfKind<Kind>> {
    const answer = await this.answer(accountId, question);
    if (isOfKind(answer, kinds)) return answer;
    throw new Error(`a question to ${question.kind} was answered with ${answer.kind}`);
  }

  private async answer(accountId: AccountId, question: Question): Promise<Answer> {
    const { allowance, clock } = this;
    for (;;) {
      const waitMs = allowance.waitMs(accountId, clock.monotonic());
      if (waitMs > 0) throw new RulesSuspended(waitMs);
      const thread = allowance.isApart(accountId, clock.monotonic()) ? this.apart : this.common;
      const outcome = await thread.ask({ accountId, question });
      if (outcome === "failed") allowance.failed(accountId, clock.monotonic());
      else if (outcome !== "later") {
        allowance.took(accountId, outcome.ms, clock.monotonic());
        return outcome.answer;
      }
    }
  }
}

function isOfKind<Kind extends Answer["kind"]>(
  answer: Answer,
  kinds: readonly Kind[],
): answer is AnswerOfKind<Kind> {
  return kinds.some((kind) => kind === answer.kind);
}

/** A question that takes more CPU time counts as slow. */
export const SLOW_MS = 10;
/** Most time that an account owes for slow questions before it is judged apart. */
export const ALLOWED_MS = 50;
/** Share of the time that passes by which a debt shrinks: a slow account takes 0.5 % of the thread for all. */
export const REPAID_SHARE = 0.005;
/** Largest debt, which is repaid in five minutes. */
export const MAX_DEBT_MS = 1_500;
/** First and longest wait of an account whose rule made a thread fail. Each failure doubles the wait. */
export const FIRST_WAIT_MS = 1_000;
export const LONGEST_WAIT_MS = 60_000;
/** A failure this long after the end of a wait counts as the first again. */
export const FORGIVEN_AFTER_MS = 300_000;
/** Most accounts with a debt or a wait. */
const MAX_ACCOUNTS = 10_000;

type Debt = Readonly<{ ms: number; at: number }>;
type Wait = Readonly<{ ms: number; until: number }>;

/** Decides which accounts' rules are judged apart from others', and which must wait. Times are of a monotonic clock. */
export class RulesAllowance {
  private readonly debts = new BoundedMap<AccountId, Debt>(MAX_ACCOUNTS);
  private readonly waits = new BoundedMap<AccountId, Wait>(MAX_ACCOUNTS);

  /** Records the CPU time that an account's question took. */
  took(accountId: AccountId, ms: number, now: number): void {
    if (ms <= SLOW_MS) return;
    this.debts.set(accountId, { ms: Math.min(MAX_DEBT_MS, this.debt(accountId, now) + ms), at: now });
  }

  isApart(accountId: AccountId, now: number): boolean {
    return this.debt(accountId, now) > ALLOWED_MS;
  }

  /** Makes an account wait whose question made a thread fail. */
  failed(accountId: AccountId, now: number): void {
    const last = this.waits.get(accountId);
    const isAgain = last !== undefined && now - last.until < FORGIVEN_AFTER_MS;
    const ms = isAgain ? Math.min(LONGEST_WAIT_MS, 2 * last.ms) : FIRST_WAIT_MS;
    this.waits.set(accountId, { ms, until: now + ms });
    this.debts.set(accountId, { ms: MAX_DEBT_MS, at: now });
  }

  /** Returns how long the account must still wait; 0 if it need not. */
  waitMs(accountId: AccountId, now: number): number {
    return Math.max(0, (this.waits.get(accountId)?.until ?? now) - now);
  }

  private debt(accountId: AccountId, now: number): number {
    const { ms, at } = this.debts.get(accountId) ?? { ms: 0, at: now };
    return Math.max(0, ms - (now - at) * REPAID_SHARE);
  }
}
