import type { AccountId } from "../domain/ids";
import { type Clock, systemClock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Batcher, QueueFull } from "../runtime/queues/batcher";
import { threadAt } from "../runtime/shipped";
import type { Answer, FilterQuestion, Question } from "./schema/judge";

/** Small questions per message. */
const MAX_BATCH = 64;
/**
 * Characters of payload that count as one small question. A request may keep the thread busy for half a second (measured).
 * 64 of these in one message would exceed the time limit: the thread would be replaced, and other accounts get a 503.
 */
const CHARACTERS_OF_SMALL = 256;
/** Filters that count as one small question. */
const SMALL_FILTERS = 4;
/** Questions that may wait. */
const MAX_QUEUED = 20_000;
/** Time limit for the answers to one message, in milliseconds. Budgets keep them far below it. */
const ANSWER_MS = 10_000;

type AnswerOf<Kind extends Answer["kind"]> = Extract<Answer, { kind: Kind }>;
type Asked = Readonly<{ accountId: AccountId; question: Question }>;

/**
 * Checks schemas and judges payloads in a separate thread.
 *
 * Compiling a schema takes up to a tenth of a second and can't be interrupted, and judging a payload runs a program
 * that a customer wrote. In the main thread either would hold up every request. Accounts take turns in the thread, and a
 * question that compiles or has large payloads travels alone: a payload waits for the running question, and one more at
 * most. The thread starts with the first question, and is replaced when it does not answer.
 */
export class SchemaWorker {
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

  /** Says what is wrong with a schema; null if nothing is. Every method throws `QueueFull` when the thread is overloaded. */
  async check(accountId: AccountId, schema: unknown): Promise<string | null> {
    return (await this.put(accountId, { kind: "check", schema }, "checked")).flaw;
  }

  /** Says what is wrong with a filter; null if nothing is. */
  async checkFilter(accountId: AccountId, filter: string): Promise<string | null> {
    return (await this.put(accountId, { kind: "check_filter", filter }, "checked")).flaw;
  }

  /** Judges payloads by a schema. */
  judge(
    accountId: AccountId,
    question: Extract<Question, { kind: "judge" }>,
  ): Promise<AnswerOf<"judged" | "unknown">> {
    return this.put(accountId, question, "judged", "unknown");
  }

  /** Judges an event by filters. */
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
          "the schema thread failed; its requests get a 503, and a new thread replaces it",
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

/** A question that compiles fills a message, and so do payloads of 16 KiB, or hundreds of filters. */
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
  const worker = new Worker(threadAt("event-types/schema/schema-thread"));
  // The thread must not keep an otherwise idle process alive.
  worker.unref();
  return worker;
}
