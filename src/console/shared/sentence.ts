import type { Endpoint } from "../../client/types";
import { nameOf } from "./endpoint-name";
import { count, moment } from "./format";

/** A part of a sentence: words, or a fact that a page shows with a link or a clock of its own. */
export type SentencePart =
  | string
  | Readonly<{ is: "strong"; text: string }>
  | Readonly<{ is: "time"; at: string }>
  /** The time of the next attempt: `in 04:12` on a page. */
  | Readonly<{ is: "next"; until: string }>
  | Readonly<{ is: "delivery"; id: string; sequence: number }>
  | Readonly<{ is: "endpoint"; endpoint: Pick<Endpoint, "id" | "url" | "description"> }>;

/** A sentence as its parts, so that a page and a text say the same. */
export type Sentence = readonly SentencePart[];

export function strong(text: string): SentencePart {
  return { is: "strong", text };
}

export function at(time: string): SentencePart {
  return { is: "time", at: time };
}

/** Makes a sentence of a text with `{time}` in it. */
export function withTime(text: string, time: string): Sentence {
  const [before = "", after = ""] = text.split("{time}");
  return [before, at(time), after];
}

/** Writes sentences as plain text. Endpoints are called by `callOf`. */
export function plainText(
  sentences: readonly Sentence[],
  now: number,
  callOf: (endpoint: Pick<Endpoint, "id" | "url" | "description">) => string = nameOf,
): string {
  const textOf = (part: SentencePart): string => {
    if (typeof part === "string") return part;
    switch (part.is) {
      case "strong":
        return part.text;
      case "time":
        return moment(Date.parse(part.at), now);
      case "next":
        return `at ${moment(Date.parse(part.until), now)}`;
      case "delivery":
        return `#${count(part.sequence)}`;
      case "endpoint":
        return callOf(part.endpoint);
    }
  };
  return sentences.map((sentence) => sentence.map(textOf).join("")).join(" ");
}
