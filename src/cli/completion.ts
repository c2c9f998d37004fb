import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { wordsOf } from "./commands/values";

/** A word that may come next. */
export type Suggestion = Readonly<{ word: string; text: string }>;

/** What a command line goes on with: words of the program, or the value of an argument or an option, by its name. */
export type Continuation =
  | Readonly<{ kind: "words"; words: readonly Suggestion[] }>
  | Readonly<{ kind: "value"; name: string; group: string }>;

/** Returns what an unfinished command line goes on with. `words` are those behind the program's name; the last one is unfinished. */
export function continuationOf(program: CommandUnknownOpts, words: readonly string[]): Continuation {
  const last = words.at(-1) ?? "";
  const { command, given, awaiting } = reached(program, words.slice(0, -1));
  const group = command.parent?.name() ?? "";
  if (awaiting) return awaited(awaiting, group);
  if (last.startsWith("-")) return { kind: "words", words: optionsOf(program, command) };
  const { commands, registeredArguments } = command;
  const visible = commands.filter((each) => !hiddenOf(each));
  if (visible.length > 0)
    return { kind: "words", words: visible.map((each) => ({ word: each.name(), text: textOf(each) })) };
  const argument = registeredArguments[given] ?? registeredArguments.find(({ variadic }) => variadic);
  return argument === undefined ? { kind: "words", words: [] } : awaited(argument, group);
}

/** Returns the words among which a value is, if its reader has any. */
function awaited(value: Option | Argument, group: string): Continuation {
  const words = wordsOf(value.parseArg);
  if (words.length === 0) return { kind: "value", name: value.name(), group };
  return { kind: "words", words: words.map((word) => ({ word, text: "" })) };
}

type Reached = { command: CommandUnknownOpts; given: number; awaiting: Option | null };

/** Follows words to the command that they name. Counts its arguments, and finds the option that waits for a value. */
function reached(program: CommandUnknownOpts, words: readonly string[]): Reached {
  let command = program;
  let given = 0;
  let awaiting: Option | null = null;
  for (const word of words) {
    if (awaiting) awaiting = null;
    else if (word.startsWith("-")) {
      const option = allOptions(program, command).find((each) => [each.short, each.long].includes(word));
      awaiting = option?.required ? option : null;
    } else {
      const inner = command.commands.find((each) => each.name() === word);
      if (inner) command = inner;
      else given++;
    }
  }
  return { command, given, awaiting };
}

function optionsOf(program: CommandUnknownOpts, command: CommandUnknownOpts): Suggestion[] {
  return allOptions(program, command).map(({ long, description }) => ({
    word: long ?? "",
    text: description,
  }));
}

function allOptions(program: CommandUnknownOpts, command: CommandUnknownOpts): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}

function textOf(command: CommandUnknownOpts): string {
  return command.summary() || command.description();
}

/** Returns whether the help leaves a command out. */
function hiddenOf(command: CommandUnknownOpts): boolean {
  const { parent } = command;
  return parent !== null && !parent.createHelp().visibleCommands(parent).includes(command);
}
