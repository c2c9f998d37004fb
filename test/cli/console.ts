import { CommanderError } from "@commander-js/extra-typings";
import type { ServiceConnection as Found } from "../../src/cli/connection";
import { EXIT, exitCodeOf } from "../../src/cli/failure";
import { createProgram } from "../../src/cli/program";
import { CommandSession } from "../../src/cli/session";
import type { Terminal } from "../../src/cli/table";

/** The service to ask. */
export type Connection = Pick<Found, "url" | "key">;

export type Said = {
  code: number;
  out: string;
  err: string;
  /** The questions that the command asked. */
  questions: readonly string[];
  /** The pages that it opened. */
  opened: readonly string[];
};

export type Sitting = {
  /** Standard input; absent for a terminal. */
  input?: string | Uint8Array | undefined;
  /** The answer to every question; absent if there is no terminal. */
  says?: string;
  /** The secret that is typed at a prompt. */
  secret?: string;
  /** Called with a page that the command opens. */
  opens?: (url: string) => void;
  /** Variables in place of those that name the service. */
  env?: Readonly<Record<string, string>>;
  /** Standard output's terminal. */
  terminal?: Terminal;
  /** Called with all output whenever there is more. True stands for Ctrl-C. */
  isEnough?: (out: string) => boolean;
};

/** Runs a command in this process, on the service at an address. */
export async function say(
  args: readonly string[],
  connection: Connection,
  { input, says, terminal, isEnough, env, secret, opens }: Sitting = {},
): Promise<Said> {
  const said = { out: "", err: "" };
  const questions: string[] = [];
  const opened: string[] = [];
  const ending = new AbortController();
  const session = new CommandSession({
    env: env ?? { HERMOD_URL: connection.url, HERMOD_KEY: connection.key },
    streams: {
      out: (text) => {
        said.out += text;
        if (isEnough?.(said.out)) ending.abort();
      },
      drained: async () => {},
      err: (text) => {
        said.err += text;
      },
      isWatched: false,
      terminal: terminal ?? null,
    },
    readInput: () => (input === undefined ? null : Promise.resolve(Buffer.from(input))),
    ask: (question) => {
      if (says === undefined) return null;
      questions.push(question);
      return Promise.resolve(says);
    },
    askSecret: (question) => {
      questions.push(question);
      return secret === undefined ? new Promise(() => {}) : Promise.resolve(secret);
    },
    openPage: (url) => {
      opened.push(url);
      opens?.(url);
    },
    untilEnded: () => ending.signal,
  });
  const isJson = args.includes("--json");
  try {
    await createProgram(session, isJson).parseAsync([...args], { from: "user" });
    return { code: EXIT.done, ...said, questions, opened };
  } catch (error) {
    if (error instanceof CommanderError) return { code: EXIT.usage, ...said, questions, opened };
    said.err += session.failureText(error, isJson);
    return { code: exitCodeOf(error), ...said, questions, opened };
  }
}
