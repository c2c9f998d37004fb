import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Session } from "../session";

/** Adds a command, or a group of them, to its parent. */
export type Add = (parent: CommandUnknownOpts, session: Session) => void;

/** Reads an option that must be a whole number, `least` or more. */
export function wholeNumber(least: number) {
  return (text: string): number => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
  };
}
