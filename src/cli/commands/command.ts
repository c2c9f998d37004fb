import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Session } from "../session";

/** Adds a command, or a group of them, to its parent. */
export type Add = (parent: CommandUnknownOpts, session: Session) => void;

const MANY = 999_999_999_999;

/** Reads an option that must be a whole number. */
export function wholeNumber(least: number, most = MANY) {
  return (text: string): number => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const range = most === MANY ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

/** Reads an option that must say something, which a variable that is not set does not. */
export function filled(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It is empty.");
}

/** Reads an option that must be one of a few words; they come as a record, so that none can be forgotten. */
export function oneOf<Word extends string>(words: Readonly<Record<Word, true>>) {
  return (text: string): Word => {
    if (isOneOf(words, text)) return text;
    throw new InvalidArgumentError(`It must be one of ${Object.keys(words).join(", ")}.`);
  };
}

function isOneOf<Word extends string>(words: Readonly<Record<Word, true>>, text: string): text is Word {
  return Object.hasOwn(words, text);
}

/** Splits what is given as a name, a separator and a value, such as `name=value`. */
export function named(text: string, separator: ":" | "="): readonly [name: string, value: string] {
  const at = text.indexOf(separator);
  if (at < 1) throw new InvalidArgumentError(`It must be \`name${separator === ":" ? ": " : "="}value\`.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
