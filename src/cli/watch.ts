import { setTimeout as after } from "node:timers/promises";
import { wholeNumber } from "./commands/values";
import { EXIT, exitCodeOf, failureText } from "./failure";
import type { CommandSession } from "./session";

/** Seconds between two readings: without an option, and the limits of the option. */
export const WATCH_SECONDS = { usual: 2, least: 1, most: 3_600 };

type WatchFlags = Readonly<{ watch?: unknown; every?: unknown }>;

/** The options of a command that may be repeated. */
export const WATCH = ["--watch", "show it again and again until Ctrl-C"] as const;
export const EVERY = [
  "--every <seconds>",
  "with --watch: the seconds in between",
  wholeNumber(WATCH_SECONDS.least, WATCH_SECONDS.most),
  WATCH_SECONDS.usual,
] as const;

/**
 * Shows something once, or with --watch until the command is stopped: over the former one on a terminal, and elsewhere only what has
 * changed. Goes on after a failure that may pass.
 */
export async function watched(
  session: CommandSession,
  { watch, every }: WatchFlags,
  show: () => Promise<void>,
): Promise<void> {
  if (watch !== true) return show();
  const { output, context } = session;
  const seconds = Number(every ?? WATCH_SECONDS.usual);
  const signal = context.untilEnded();
  let before = "";
  while (!signal.aborted) {
    const frame = await output.frame(show).catch((error: unknown) => failureOf(error, output.isJson));
    if (frame !== before || context.streams.terminal !== null)
      output.draw(`Every ${seconds} s until Ctrl-C, ${new Date().toLocaleTimeString()}`, frame);
    before = frame;
    await after(seconds * 1_000, undefined, { signal }).catch(() => {});
  }
}

function failureOf(error: unknown, isJson: boolean): string {
  if (exitCodeOf(error) !== EXIT.unavailable) throw error;
  return failureText(error, isJson);
}
