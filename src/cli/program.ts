import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { VERSION } from "../runtime/version";
import { addBatch } from "./commands/batch";
import { addCertify } from "./commands/certify";
import { addCompletion } from "./commands/completion";
import { addErase } from "./commands/erase";
import { addEventTypes } from "./commands/event-types";
import { addJobs } from "./commands/jobs";
import { addListen } from "./commands/listen";
import { addLogin, addLogout } from "./commands/login";
import { addMcp } from "./commands/mcp";
import { addOperations } from "./commands/operations";
import { addProfiles } from "./commands/profiles";
import { addReceive } from "./commands/receive";
import { addReplay } from "./commands/replay";
import { addSend } from "./commands/send";
import { addSeries } from "./commands/series";
import { addTail } from "./commands/tail";
import { addTrigger } from "./commands/trigger";
import { addTypes } from "./commands/types";
import { filled } from "./commands/values";
import { addWebhooks } from "./commands/webhooks";
import { failureText, UsageError } from "./failure";
import { nextCommand } from "./next-command";
import { readProfileName } from "./profiles";
import type { CommandSession } from "./session";

const AFTER_HELP = `
Where \`bun start\` runs in this folder, address and key are found by themselves; elsewhere after
\`hermod login\`.

Ends with 0 when done, 1 when something failed, 2 when used wrongly, 3 when the service refused,
4 if the service is unreachable or too busy.`;

/** Builds the program from all commands; each is a file of `commands/`. */
export function createProgram(session: CommandSession, isJson: boolean) {
  const { streams } = session.context;
  const program = new Command("hermod")
    .description("Send, follow and manage webhooks.")
    .version(VERSION)
    .option("--url <url>", "the service's address (default: HERMOD_URL)")
    .option("--key <key>", "an API key (default: HERMOD_KEY, which other users of the machine can't see)")
    .option(
      "--profile <name>",
      "a service and key that `hermod login` has saved (default: HERMOD_PROFILE)",
      readProfileName,
    )
    .option(
      "--account <id>",
      "act for this account, by its id or external id; needs the permission accounts:act (default: HERMOD_ACCOUNT)",
      filled,
    )
    .option("--cell <name>", "ask this cell of a router, such as eu-1; for a new account also eu-*", filled)
    .option("--json", "machine readable: one JSON object per line, also for errors")
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({
      writeOut: streams.out,
      writeErr: streams.err,
    })
    .addHelpText("after", AFTER_HELP)
    .exitOverride();
  program.hook("preAction", (_program, command) => {
    session.begin(program.opts(), command);
    refuseEmpty(command);
  });
  const adders = [
    addLogin,
    addLogout,
    addProfiles,
    addSend,
    addTrigger,
    addBatch,
    addTail,
    addListen,
    addReceive,
    addMcp,
    addTypes,
    addReplay,
    addErase,
    addOperations,
    addCertify,
    addWebhooks,
    addEventTypes,
    addJobs,
    addSeries,
    addCompletion,
  ];
  for (const add of adders) add(program, session);
  explainMisuse(program, isJson);
  return program;
}

/** Has each command name its help after a wrong use. */
function explainMisuse(command: CommandUnknownOpts, isJson: boolean): void {
  command.configureOutput({
    outputError: (text, write) => {
      const error = usageErrorOf(text);
      write(failureText(error, isJson, null, nextCommand(error, { command, url: null })));
    },
  });
  for (const inner of command.commands) explainMisuse(inner, isJson);
}

/** Refuses an empty argument, which usually comes from an unset variable. An empty id could select a whole list. */
function refuseEmpty({ args, registeredArguments }: CommandUnknownOpts): void {
  const empty = registeredArguments.find(({ variadic }, i) => args[i] === "" && !variadic);
  if (empty) throw new UsageError(`The argument ${empty.name()} is empty`);
}

/** Turns Commander's message into our error: one line, without the word "error". */
function usageErrorOf(text: string): UsageError {
  return new UsageError(
    text
      .trim()
      .replace(/^error: /, "")
      .replaceAll("\n", " "),
  );
}
