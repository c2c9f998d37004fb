import type { AccountId } from "../domain/ids";
import { type Clock, systemClock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Batcher, QueueFull } from "../runtime/queues/batcher";
import { threadAt } from "../runtime/shipped";
import type { Answer, FilterQuestion, Question } from "./judge";

/** Most small questions in a message. */
const MAX_BATCH = 64;
/**
 * This many characters of payload count as one small question. A request may keep the thread busy for 0.5 s (measured). With 64
 * of these in one message the thread would exceed the time limit and be replaced, and other accounts would get a 503.
 */
const CHARACTERS_OF_SMALL = 256;
/** This many filters count as one small question. */
const SMALL_FILTERS = 4;
/** Most questions that wait. */
const MAX_QUEUED = 20_000;
/** Time limit for the answers to one message. Budgets keep them far below it. */
const ANSWER_MS = 10_000;

type AnswerOf<Kind extends Answer["kind"]> = Extract<Answer, { kind: Kind }>;
type Asked = Readonly<{ accountId: AccountId; question: Question }>;

/**
 * Checks an account's rules (schemas and filters) and evaluates them on payloads, in a separate thread.
 *
 * Compiling a schema takes up to 0.1 s and can't be interrupted, and validating a payload runs a program that a customer wrote.
 * In the main thread both would delay every request. Accounts take turns in the thread. A question that compiles or has large
 * payloads is a message of its own, so a payload waits for the running question and at most one more. The thread starts with
 * the first question, and is replaced if it does not answer.
 */
export class RulesThread {
  private worker: Worker | null = null;
  private readonly batcher: Batcher<Asked, Answer>;

  constructor(
    private readonly log: Pick<Log, "error">,
    private readonly clock: Clock = systemClock,
    private readonly answerMs = ANSWER_MS,
  ) {
    this.batcher = new Batcher({
      run: (asked) => this.ask(asked.map(({ question }) => question)),
      ownerOf: ({ accountId }) => accountId,
      weigh: ({ question }) => weightOf(question),
      maxItems: MAX_BATCH,
      maxWeight: MAX_BATCH,
      maxRunning: 1,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Returns the problem of a schema; null if there is none. Every method throws `QueueFull` if the thread is overloaded. */
  async check(accountId: AccountId, schema: unknown): Promise<string | null> {
    return (await this.put(accountId, { kind: "check", schema }, "checked")).problem;
  }

  /** Returns the problem of a filter, to follow its name; null if there is none. */
  async checkFilter(accountId: AccountId, filter: string): Promise<string | null> {
    return (await this.put(accountId, { kind: "check_filter", filter }, "checked")).problem;
  }

  /** Validates payloads with a schema. */
  judge(
    accountId: AccountId,
    question: Extract<Question, { kind: "judge" }>,
  ): Promise<AnswerOf<"judged" | "unknown">> {
    return this.put(accountId, question, "judged", "unknown");
  }

  /** Evaluates filters for an event. */
  filter(accountId: AccountId, question: FilterQuestion): Promise<AnswerOf<"filtered">> {
    return this.put(accountId, question, "filtered");
  }

  private async put<Kind extends Answer["kind"]>(
    accountId: AccountId,
    question: Question,
    ...kinds: readonly Kind[]
  ): Promise<AnswerOf<Kind>> {
    const answer = await this.batcher.submit({ accountId, question });
    if (isOfKind(answer, kinds)) return answer;
    throw new Error(`a question to ${question.kind} was answered with ${answer.kind}`);
  }

  close(): void {
    if (this.worker) this.end(this.worker);
  }

  private end(worker: Worker): void {
    worker.onerror = null;
    worker.terminate();
    // A thread that fails late must not end its successor.
    if (this.worker === worker) this.worker = null;
  }

  private ask(questions: readonly Question[]): Promise<Answer[]> {
    this.worker ??= startThread();
    const { worker } = this;
    return new Promise((resolve, reject) => {
      const fail = (error: string) => {
        cancel();
        this.log.error(
          { error },
          "the thread that checks schemas and filters failed; its requests get a 503, and a new thread replaces it",
        );
        this.end(worker);
        reject(new QueueFull());
      };
      const cancel = this.clock.after(this.answerMs, () => fail(`no answer within ${this.answerMs} ms`));
      worker.onmessage = ({ data }: MessageEvent<Answer[]>) => {
        cancel();
        resolve(data);
      };
      worker.onerror = ({ message }) => fail(message);
      worker.postMessage(questions);
    });
  }
}

function isOfKind<Kind extends Answer["kind"]>(
  answer: Answer,
  kinds: readonly Kind[],
): answer is AnswerOf<Kind> {
  return kinds.some((kind) => kind === answer.kind);
}

/** Returns a question's weight. Compiling, payloads of 16 KiB and hundreds of filters each fill a message. */
function weightOf(question: Question): number {
  if (question.kind === "check_filter") return SMALL_FILTERS;
  if (question.kind === "filter")
    return (
      1 + Math.floor(question.data.length / CHARACTERS_OF_SMALL + question.filters.length / SMALL_FILTERS)
    );
  if (question.kind === "check" || question.schema !== null) return MAX_BATCH;
  const characters = question.payloads.reduce((sum, payload) => sum + payload.length, 0);
  return 1 + Math.floor(characters / CHARACTERS_OF_SMALL);
}

function startThread(): Worker {
  const worker = new Worker(threadAt("event-types/judge-thread"));
  // The thread must not keep an otherwise idle process alive.
  worker.unref();
  return worker;
}
