// The code that `RulesThread` runs in its thread. Answers questions in order, until its turn is over.
import { Judge, type Question } from "./judge";
import { NONE, type Reply, TURN_MS } from "./rules-turn";

declare const self: Worker;

const judge = new Judge();
/** The index of the question in progress, shared with the main thread. */
let progress = new Int32Array(1);

self.onmessage = ({ data }: MessageEvent<Int32Array<ArrayBuffer> | readonly Question[]>) => {
  if (data instanceof Int32Array) progress = data;
  else self.postMessage(repliesTo(data));
};

function repliesTo(questions: readonly Question[]): Reply[] {
  const began = cpuMs();
  let last = began;
  const replies: Reply[] = [];
  for (const [i, question] of questions.entries()) {
    if (last - began > TURN_MS) break;
    Atomics.store(progress, 0, i);
    const answer = judge.answer(question);
    const now = cpuMs();
    replies.push({ answer, ms: now - last });
    last = now;
  }
  Atomics.store(progress, 0, NONE);
  return replies;
}

/** The CPU time of this thread. Time that the machine gives to others must not make a rule look slow. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
