#!/usr/bin/env bun
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { CommanderError } from "@commander-js/extra-typings";
import { type Clock, systemClock } from "../runtime/clock";
import { launcherGone, TWIN_SIGNAL_MS } from "../service/launcher";
import { EXIT, exitCodeOf, failureText } from "./failure";
import { createProgram } from "./program";
import { CommandSession } from "./session";
import { StandardOutput } from "./standard-output";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The status of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** A clock whose timers do not keep the process alive. */
const idleClock: Clock = {
  ...systemClock,
  after(ms, fire) {
    const timer = setTimeout(fire, ms).unref();
    return () => clearTimeout(timer);
  },
};

const args = process.argv.slice(2);
const isJson = args.includes("--json");

async function run(): Promise<void> {
  const session = new CommandSession({
    env: process.env,
    streams: {
      out: (text) => output.write(text),
      drained: () => output.drained(),
      err: (text) => void process.stderr.write(text),
      isWatched: process.stderr.isTTY === true,
      get terminal() {
        const { isTTY, columns, rows } = process.stdout;
        // Colours follow NO_COLOR and TERM.
        return isTTY && columns > 0 ? { columns, rows, isColored: process.stdout.hasColors() } : null;
      },
    },
    readInput: () => (process.stdin.isTTY ? null : buffer(process.stdin)),
    ask: (question) => (process.stdin.isTTY && process.stderr.isTTY ? askPerson(question) : null),
    askSecret: (question, signal) =>
      process.stdin.isTTY && process.stderr.isTTY ? askSecretly(question, signal) : null,
    openPage,
    untilEnded,
  });
  try {
    await createProgram(session, isJson).parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(error, session.failureText(error, isJson));
    // Commander has already printed the error, or the help.
    if (error.exitCode !== 0) process.exitCode = EXIT.usage;
  }
}

function askPerson(question: string): Promise<string> {
  // Leaves line editing to the terminal, so that Ctrl-C ends the process.
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stderr.write(question);
  const { promise, resolve } = Promise.withResolvers<string>();
  lines.once("line", resolve);
  // Resolves with no answer if the input ends without a line; does nothing after a line.
  lines.once("close", () => resolve(""));
  return promise.finally(() => lines.close());
}

/** Reads a line without showing it. */
function askSecretly(question: string, signal: AbortSignal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, signal });
  process.stderr.write(question);
  const { promise, resolve } = Promise.withResolvers<string>();
  lines.once("line", resolve);
  lines.once("close", () => resolve(""));
  lines.once("SIGINT", () => process.exit(INTERRUPTED));
  return promise.finally(() => {
    lines.close();
    process.stderr.write("\n");
  });
}

function openPage(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const opener = spawn(openers[process.platform] ?? "xdg-open", [url], { detached: true, stdio: "ignore" });
  // The page's address is shown as well.
  opener.on("error", () => {}).unref();
}

/** Ends the command when its output can't be written any more. */
let stop: () => void = () => process.exit();
const output = new StandardOutput(process.stdout, (error) => {
  // EPIPE means that the reader, such as `head`, has closed. Any other error is a failure, such as a full disk.
  if (error.code !== "EPIPE") fail(error);
  stop();
});

function fail(error: unknown, text = failureText(error, isJson)): void {
  process.stderr.write(text);
  process.exitCode = exitCodeOf(error);
}

/**
 * Returns a signal that ends a command in order, at the first Ctrl-C or when the reader closes. A second Ctrl-C ends
 * the process at once.
 */
function untilEnded(): AbortSignal {
  const ending = new AbortController();
  const end = () => {
    if (ending.signal.aborted) return;
    idleClock.after(TWIN_SIGNAL_MS, () => {
      for (const signal of SIGNALS) process.off(signal, end);
    });
    output.hurry();
    ending.abort();
  };
  stop = end;
  for (const signal of SIGNALS) process.on(signal, end);
  launcherGone(idleClock, process.env).then(end);
  return ending.signal;
}

// Without process.exit, which would lose output that a slow reader has not taken yet.
await run();
