import { type AccountId, toText } from "../domain/ids";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Batcher, QueueFull } from "../runtime/queues/batcher";
import { threadAt } from "../runtime/shipped";
import { otherThreadsMs } from "../runtime/thread-time";
import type { Question } from "./judge";
import { NONE, type Reply } from "./rules-turn";

/** Most small questions in a message. */
const MAX_BATCH = 64;
/** This many characters of payload count as one small question. */
const CHARACTERS_OF_SMALL = 256;
/** This many filters count as one small question. */
const SMALL_FILTERS = 4;
/** Most questions that wait. */
const MAX_QUEUED = 20_000;
/** Time limit for the start of a thread, and for a question if the machine is busy with something else. */
export const LONGEST_MS = 10_000;
/** Checks of a thread within the time limit of a question. */
const CHECKS = 4;

export type AskedQuestion = Readonly<{ accountId: AccountId; question: Question }>;

/** The outcome of a question. `later`: it was not answered and is not at fault; the caller asks again. */
export type QuestionOutcome = Reply | "later" | "failed";

type Turn =
  | Readonly<{ kind: "answered"; replies: readonly Reply[] }>
  /** The thread was ended during the question with this index, or before its first. */
  | Readonly<{ kind: "failed"; at: number; error: string }>;

/** The index that was in progress at a check, and when a check first saw it. */
type SeenProgress = Readonly<{ at: number; cpuMs: number; ms: number }>;

type ThreadOptions = Readonly<{
  log: Pick<Log, "error">;
  clock: Clock;
  /** Limit of one question, in CPU time of the process without its main thread. */
  questionMs: number;
}>;

/**
 * Answers questions about accounts' rules in a separate thread, where accounts take turns. The thread starts with the first
 * question, and is replaced if one takes too long. A thread can't be interrupted, so it says which question it is at.
 */
export class RulesThread {
  private worker: Worker | null = null;
  private progress = newProgress();
  private readonly batcher: Batcher<AskedQuestion, QuestionOutcome>;

  constructor(private readonly options: ThreadOptions) {
    this.batcher = new Batcher({
      run: (asked) => this.run(asked),
      ownerOf: ({ accountId }) => accountId,
      weigh: ({ question }) => weightOf(question),
      maxItems: MAX_BATCH,
      maxWeight: MAX_BATCH,
      maxRunning: 1,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Throws `QueueFull` if too many questions wait, or the thread does not start. */
  ask(asked: AskedQuestion): Promise<QuestionOutcome> {
    return this.batcher.submit(asked);
  }

  close(): void {
    if (this.worker) this.end(this.worker);
  }

  private async run(asked: readonly AskedQuestion[]): Promise<QuestionOutcome[]> {
    const turn = await this.turn(asked.map(({ question }) => question));
    if (turn.kind === "answered") return asked.map((_, i) => turn.replies[i] ?? "later");
    const accountId = asked[turn.at]?.accountId;
    this.options.log.error(
      { error: turn.error, ...(accountId && { account_id: toText("acc", accountId) }) },
      "the thread that checks schemas and filters failed; the account's requests get a 503, and a new thread replaces it",
    );
    if (accountId === undefined) throw new QueueFull();
    return asked.map((_, i) => (i === turn.at ? "failed" : "later"));
  }

  private turn(questions: readonly Question[]): Promise<Turn> {
    this.worker ??= this.start();
    const { worker } = this;
    return new Promise((resolve) => {
      const settle = (turn: Turn) => {
        cancel();
        resolve(turn);
      };
      const fail = (error: string) => {
        const at = Atomics.load(this.progress, 0);
        this.end(worker);
        settle({ kind: "failed", at, error });
      };
      const cancel = this.watch(fail);
      worker.onmessage = ({ data }: MessageEvent<Reply[]>) => settle({ kind: "answered", replies: data });
      worker.onerror = ({ message }) => fail(message);
      worker.postMessage(questions);
    });
  }

  /**
   * Calls `fail` when one question takes too long, or the thread does not start. The returned function ends the watch. Measures
   * the CPU time of the process without its main thread, at least that of the question: while the machine or the main thread is
   * busy, an answer takes longer.
   */
  private watch(fail: (error: string) => void): () => void {
    const { clock, questionMs } = this.options;
    let seen: SeenProgress | null = null;
    let cancel = () => {};
    const check = () => {
      const at = Atomics.load(this.progress, 0);
      if (seen?.at !== at) seen = { at, cpuMs: otherThreadsMs(), ms: clock.monotonic() };
      const passedMs = clock.monotonic() - seen.ms;
      const isSlow = at !== NONE && passedMs >= questionMs && otherThreadsMs() - seen.cpuMs >= questionMs;
      if (isSlow || passedMs >= LONGEST_MS) fail(`no answer within ${Math.round(passedMs)} ms`);
      else cancel = clock.after(questionMs / CHECKS, check);
    };
    cancel = clock.after(questionMs / CHECKS, check);
    return () => cancel();
  }

  private start(): Worker {
    const worker = new Worker(threadAt("event-types/judge-thread"));
    this.progress = newProgress();
    worker.postMessage(this.progress);
    // The thread must not keep an otherwise idle process alive.
    worker.unref();
    return worker;
  }

  private end(worker: Worker): void {
    worker.onerror = null;
    worker.terminate();
    // A thread that fails late must not end its successor.
    if (this.worker === worker) this.worker = null;
  }
}

function newProgress(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(NONE);
}

/** Returns a question's weight. Compiling, documents, payloads of 16 KiB and hundreds of filters each fill a message. */
function weightOf(question: Question): number {
  if (question.kind === "check_filter") return SMALL_FILTERS;
  if (question.kind === "filter")
    return (
      1 + Math.floor(question.data.length / CHARACTERS_OF_SMALL + question.filters.length / SMALL_FILTERS)
    );
  if (question.kind === "check" || question.kind === "read_yaml") return MAX_BATCH;
  if (question.schema !== null) return MAX_BATCH;
  const characters = question.payloads.reduce((sum, payload) => sum + payload.length, 0);
  return 1 + Math.floor(characters / CHARACTERS_OF_SMALL);
}
