import { countedSentence, waitSentences, waitsOf } from "../../../src/console/console/answer-sentences";
import { stuckOrderWords } from "../../../src/console/console/words";
import { waitingSentence } from "../../../src/console/pages/waiting-sentence";
import { plainText } from "../../../src/console/shared/sentence";
import type { Said, Seen } from "./claims";

// A worker: the console's modules need the types of browsers, which those of the service must not have.
addEventListener("message", ({ data }: MessageEvent<Seen>) => {
  const { rows, endpoints, details, stuck } = data;
  const facts = { rows, isWhole: true, counted: null, endpoints };
  const said: Said = {
    counted: countedSentence(facts),
    waits: waitSentences(waitsOf(facts), true).map((sentence) => plainText([sentence], Date.now())),
    details: details.map(({ delivery, endpoint }) => waitingSentence(delivery, endpoint)),
    stuck: stuck.map((order) => stuckOrderWords(order, true)),
  };
  postMessage(said);
});
