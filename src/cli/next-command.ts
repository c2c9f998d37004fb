import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type ErrorCode, HermodError, HermodUnreachable } from "../client";
import { CommandFailed, UsageError } from "./failure";

/** A failure, the command that failed, and the address that it asked; null if it asked none. */
type FailedCommand = Readonly<{ command: CommandUnknownOpts; url: string | null }>;

/** Groups whose lists have what these commands take. */
const LISTED_BY: Readonly<Record<string, string>> = {
  listen: "endpoints",
  receive: "endpoints",
  replay: "endpoints",
  send: "endpoints",
  series: "endpoints",
  "receiver-keys": "endpoints",
};

const BY_CODE: Readonly<Record<ErrorCode, (failed: FailedCommand) => string | null>> = {
  BAD_REQUEST: helpOf,
  UNAUTHORIZED: () => "hermod login",
  FORBIDDEN: () => "hermod whoami",
  NOT_FOUND: listOf,
  METHOD_NOT_ALLOWED: () => "hermod --version",
  CONFLICT: getterOf,
  PAYLOAD_TOO_LARGE: helpOf,
  UNSUPPORTED_MEDIA_TYPE: () => "hermod --version",
  MISDIRECTED: () => "hermod cells list",
  RATE_LIMIT_EXCEEDED: () => "hermod usage",
  INTERNAL_ERROR: () => "hermod system",
  SERVICE_UNAVAILABLE: () => "hermod system",
  CELL_UNAVAILABLE: () => "hermod cells list",
};

/** Returns the command to try after a failure, by the error's code; null if there is none that helps. */
export function nextCommand(error: unknown, failed: FailedCommand): string | null {
  if (error instanceof HermodUnreachable)
    return failed.url === null ? null : `curl ${new URL("/health/live", failed.url).href}`;
  if (error instanceof HermodError)
    return error.code === null ? null : (BY_CODE[error.code]?.(failed) ?? null);
  if (error instanceof CommandFailed) return error.next;
  return error instanceof UsageError ? (error.next ?? helpOf(failed)) : null;
}

/** Returns the command that explains another. */
function helpOf({ command }: Pick<FailedCommand, "command">): string {
  return `hermod ${[...wordsOf(command), "--help"].join(" ")}`;
}

function listOf({ command }: FailedCommand): string | null {
  const [first = ""] = wordsOf(command);
  const group = LISTED_BY[first] ?? first;
  return has(command, group, "list") ? `hermod ${group} list` : null;
}

/** Returns the command that shows the state with which the request is in conflict. */
function getterOf({ command }: FailedCommand): string | null {
  const [group = ""] = wordsOf(command);
  const [id] = command.args;
  return id !== undefined && has(command, group, "get") ? `hermod ${group} get ${id}` : null;
}

function has(command: CommandUnknownOpts, group: string, name: string): boolean {
  const program = parentsOf(command).at(-1);
  const found = program?.commands.find((each) => each.name() === group);
  return found?.commands.some((each) => each.name() === name) ?? false;
}

/** Returns the names of a command and its group, without the program's. */
function wordsOf(command: CommandUnknownOpts): string[] {
  return parentsOf(command)
    .slice(0, -1)
    .map((each) => each.name())
    .reverse();
}

/** Returns a command and those above it, up to the program. */
function parentsOf(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return command.parent === null ? [command] : [command, ...parentsOf(command.parent)];
}
