// The code that `RulesThread` runs in its thread. Answers questions in order.
import { Judge, type Question } from "./judge";

declare const self: Worker;

const judge = new Judge();
self.onmessage = ({ data }: MessageEvent<readonly Question[]>) => {
  self.postMessage(data.map((question) => judge.answer(question)));
};
