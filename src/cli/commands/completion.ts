import type { Hermod } from "../../client";
import { continuationOf, type Suggestion } from "../completion";
import { plain } from "../plain";
import type { Profiles } from "../profiles";
import type { CommandSession } from "../session";
import type { Add } from "./command";
import { oneOf } from "./values";

/** Each shell's script, which asks `hermod complete` for the words that fit. */
const SCRIPTS = {
  bash: `_hermod() {
  local word rest
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do COMPREPLY+=("$word"); done \\
    < <(hermod complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hermod hermod
`,
  zsh: `#compdef hermod
_hermod() {
  local word text
  local -a found
  while IFS=$'\\t' read -r word text; do found+=("\${word//:/\\\\:}:$text"); done \\
    < <(hermod complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe hermod found; else _files; fi
}
compdef _hermod hermod
`,
  fish: `function __hermod
  set -l words (commandline -opc) (commandline -ct)
  hermod complete -- $words[2..] 2>/dev/null
end
complete -c hermod -a '(__hermod)'
`,
};

/** Most words that the service gives, and the time for its answer: a shell waits for it. */
export const COMPLETION = { words: 100, answerMs: 1_000 };
/** Most characters of a word's text. */
const SHOWN = 60;

const readShell = oneOf<keyof typeof SCRIPTS>({ bash: true, zsh: true, fish: true });

export const addCompletion: Add = (program, session) => {
  const { out } = session.context.streams;
  program
    .command("completion")
    .argument("<shell>", "bash, zsh or fish", readShell)
    .summary("Write a script that completes commands in a shell: bash, zsh or fish.")
    .description(
      "Write a script that completes commands, options, endpoints and event types with the Tab key, for bash, zsh or fish. Load it when " +
        "the shell starts: `source <(hermod completion bash)`, or `hermod completion fish | source`.",
    )
    .action((shell) => out(SCRIPTS[shell]));
  program
    .command("complete [words...]", { hidden: true })
    .description("Write the words that complete a command line, for the scripts of `hermod completion`.")
    .action(async (words) => {
      const next = continuationOf(program, words);
      const found = next.kind === "words" ? next.words : await valuesOf(session, next.name, next.group);
      const begin = words.at(-1) ?? "";
      for (const { word, text } of found.filter((each) => each.word.startsWith(begin)))
        out(`${plain(word)}\t${plain(text).slice(0, SHOWN)}\n`);
    });
};

/** Asks the service for the values of an argument or an option. Without an answer there are none. */
async function valuesOf(session: CommandSession, name: string, group: string): Promise<Suggestion[]> {
  if (name === "profile" || group === "profiles") return profileWords(await session.profiles());
  const read = READERS[`${group} ${name}`] ?? READERS[name];
  if (read === undefined) return [];
  return session
    .hastyHermod(COMPLETION.answerMs)
    .then(read)
    .catch(() => []);
}

function profileWords({ byName }: Profiles): Suggestion[] {
  return Object.entries(byName).map(([word, { url }]) => ({ word, text: url }));
}

type ReadWords = (hermod: Hermod) => Promise<Suggestion[]>;

const endpoints: ReadWords = async (hermod) => {
  const { data } = await hermod.endpoints.list({ limit: COMPLETION.words });
  return data.map(({ id, url, description }) => ({ word: id, text: description ?? url ?? "" }));
};
const eventTypes: ReadWords = async (hermod) => {
  const { data } = await hermod.eventTypes.list({ limit: COMPLETION.words });
  return data.map(({ event_type, description }) => ({ word: event_type, text: description ?? "" }));
};

/** By the name of an argument or an option, with its group if it means something else in others. */
const READERS: Readonly<Record<string, ReadWords>> = {
  endpoint: endpoints,
  "endpoint-id": endpoints,
  "endpoints id": endpoints,
  event: eventTypes,
  "event-type": eventTypes,
  "event-types name": eventTypes,
};
