import { describe, expect, test } from "bun:test";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { createProgram } from "../../src/cli/program";
import { CommandSession } from "../../src/cli/session";

let written = "";

function program() {
  written = "";
  const write = (text: string) => {
    written += text;
  };
  const surroundings = {
    env: {},
    streams: { out: write, drained: async () => {}, err: write, isWatched: false, terminal: null },
    readInput: () => null,
    ask: () => null,
    askSecret: () => null,
    openPage: () => {},
    untilEnded: () => new AbortController().signal,
  };
  return createProgram(new CommandSession(surroundings), false);
}

/** The names of every command, from the top level on. */
function* pathsOf(command: CommandUnknownOpts, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  for (const inner of command.commands) yield* pathsOf(inner, [...path, inner.name()]);
}

const PATHS = [...pathsOf(program())];

describe("--help", () => {
  test("lists all commands", () => {
    const names = PATHS.map((path) => path.join(" "));
    for (const name of [
      "",
      "send",
      "batch",
      "tail",
      "listen",
      "replay",
      "stats",
      "usage",
      "endpoints create",
    ])
      expect(names).toContain(name);
  });

  for (const path of PATHS) {
    test(`hermod ${path.join(" ")} --help says what it does and which options it has`, async () => {
      const error = await program()
        .parseAsync([...path, "--help"], { from: "user" })
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(CommanderError);
      expect(error.exitCode).toBe(0);
      expect(written).toStartWith(`Usage: ${["hermod", ...path].join(" ")}`);
      for (const flag of ["--url <url>", "--key <key>", "--json"]) expect(written).toContain(flag);
      for (const line of written.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
      const description = written.split("\n")[2] ?? "";
      expect(description.trim()).toMatch(/^[A-Z].*[.a-z,]$/);
      // A default is named once.
      expect(written.replaceAll(/\s+/g, " ")).not.toMatch(/\(default: [^)]*\) \(default:/);
    });
  }
});
