import { createHash } from "node:crypto";
import type { AccountId } from "../../domain/ids";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import { Batcher, QueueFull } from "../../runtime/queues/batcher";
import { threadAt } from "../../runtime/shipped";
import { otherThreadsMs } from "../../runtime/thread-time";
import type { CodeFile } from "./event-code";
import type { CodeLanguage } from "./languages";

/** Asks for types in a language, made from a schema or an example. `text` is JSON of bounded length. */
export type CodeQuestion = Readonly<{
  event: string;
  language: CodeLanguage;
  payload: Readonly<{ kind: "schema" | "example"; text: string }>;
}>;

export type WrittenCode =
  | Readonly<{ kind: "written"; files: readonly CodeFile[] }>
  /** Why the generator can't write the types. */
  | Readonly<{ kind: "refused"; reason: string }>;

/** Most characters of a schema. The largest of GitHub's has 30,095. */
export const MAX_CODED_SCHEMA = 65_536;
/** Limit of one question, in CPU time, and in any time if the machine is busy with something else. */
export const CODE_MS = 3_000;
const LONGEST_MS = 20_000;
/** The thread is checked this often. */
const CHECK_MS = 100;
/** Most characters of the code for one event type. */
export const MAX_CODE = 524_288;
/** Most characters of all code that is kept for further questions. */
export const MAX_KEPT_CODE = 4_194_304;
const MAX_REASON = 300;
/** Most questions that wait. */
export const MAX_QUEUED_CODE = 100;

type AskedCode = Readonly<{ accountId: AccountId; question: CodeQuestion }>;

/**
 * Writes types for payloads in a thread, one question at a time, where accounts take turns. The generator has no limits of its own:
 * a schema of 60 KB takes it up to 3 s and 170 MB. So each question has a new thread, which is ended after the answer or at the
 * time limit. Its start takes 0.3 s of CPU time, so answers are kept.
 */
export class CodeWriter {
  private readonly kept = new BoundedMap<string, WrittenCode>(MAX_KEPT_CODE, charactersOf);
  private readonly batcher: Batcher<AskedCode, WrittenCode>;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs = CODE_MS,
  ) {
    this.batcher = new Batcher({
      run: async ([asked]) => (asked ? [await this.answer(asked.question)] : []),
      ownerOf: ({ accountId }) => accountId,
      maxItems: 1,
      maxRunning: 1,
      maxQueued: MAX_QUEUED_CODE,
    });
  }

  /** Returns an answer that needs no thread; null if there is none. */
  known(question: CodeQuestion): WrittenCode | null {
    if (question.payload.text.length > MAX_CODED_SCHEMA) return TOO_LARGE;
    return this.kept.get(keyOf(question)) ?? null;
  }

  /** Throws `QueueFull` if too many questions wait, or the machine is too busy. */
  write(accountId: AccountId, question: CodeQuestion): Promise<WrittenCode> {
    return this.batcher.submit({ accountId, question });
  }

  private async answer(question: CodeQuestion): Promise<WrittenCode> {
    const answer = this.known(question) ?? bounded(await this.ask(question));
    // The time may have been that of other threads.
    if (answer !== TOO_LONG) this.kept.set(keyOf(question), answer);
    return answer;
  }

  private ask(question: CodeQuestion): Promise<WrittenCode> {
    const { clock, limitMs } = this;
    const { promise, resolve, reject } = Promise.withResolvers<WrittenCode>();
    const worker = new Worker(threadAt("event-types/code/code-thread"));
    worker.unref();
    worker.onmessage = ({ data }: MessageEvent<WrittenCode>) => resolve(data);
    worker.onerror = ({ message }) => resolve({ kind: "refused", reason: message });
    worker.postMessage(question);
    const began = { ms: clock.monotonic(), cpuMs: otherThreadsMs() };
    let cancel = () => {};
    const check = () => {
      // At least the thread's own time. Other threads of the process count too, as long as their time passes meanwhile.
      if (otherThreadsMs() - began.cpuMs >= limitMs) resolve(TOO_LONG);
      else if (clock.monotonic() - began.ms >= LONGEST_MS) reject(new QueueFull());
      else cancel = clock.after(CHECK_MS, check);
    };
    check();
    return promise.finally(() => {
      cancel();
      worker.terminate();
    });
  }
}

const TOO_LARGE: WrittenCode = {
  kind: "refused",
  reason: `the schema has more than ${MAX_CODED_SCHEMA.toLocaleString("en")} characters`,
};
const TOO_LONG: WrittenCode = { kind: "refused", reason: "the schema takes too long to write types for" };

/** Refuses code that is too long, and cuts what the generator says about a schema, which it may quote. */
function bounded(answer: WrittenCode): WrittenCode {
  if (answer === TOO_LONG) return answer;
  if (answer.kind === "refused") return { kind: "refused", reason: answer.reason.slice(0, MAX_REASON) };
  if (charactersOf(answer) <= MAX_CODE) return answer;
  return {
    kind: "refused",
    reason: `the code would have more than ${MAX_CODE.toLocaleString("en")} characters`,
  };
}

function charactersOf(answer: WrittenCode): number {
  if (answer.kind === "refused") return MAX_REASON;
  return answer.files.reduce((sum, { name, text }) => sum + name.length + text.length, 0);
}

function keyOf(question: CodeQuestion): string {
  return createHash("sha256").update(JSON.stringify(question)).digest("base64url");
}
