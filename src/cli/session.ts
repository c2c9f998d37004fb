import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { Hermod, type HermodOptions } from "../client/index";
import { type Transport, transportOf } from "../client/transport";
import { parseExactly } from "../runtime/text/exact-json";
import type { Environment } from "../service/environment";
import { type ConnectionFlags, findConnection, type ServiceConnection } from "./connection";
import { failureText, UsageError } from "./failure";
import { fetchLocally } from "./local-fetch";
import { nextCommand } from "./next-command";
import { Output, type Streams } from "./output";
import { type Profiles, profilesFile, readProfiles, writeProfiles } from "./profiles";

export type GlobalFlags = ConnectionFlags & {
  account?: string | undefined;
  cell?: string | undefined;
  json?: true | undefined;
};

export type CliContext = {
  env: Environment;
  streams: Streams;
  /** Reads all of standard input; null if it is a terminal. */
  readInput(): Promise<Uint8Array> | null;
  /** Asks a question and returns the answer, which may be empty; null if standard input is no terminal. */
  ask(question: string): Promise<string> | null;
  /** Asks like `ask`, without showing the answer. The signal withdraws the question. */
  askSecret(question: string, signal: AbortSignal): Promise<string> | null;
  /** Opens a page in the browser, if there is one. */
  openPage(url: string): void;
  /** Returns a signal. From now on Ctrl-C and termination signals abort it instead of ending the process. */
  untilEnded(): AbortSignal;
};

/** The environment of a command after its flags were read. */
export class CommandSession {
  /** The service that the command uses; null before it connects. */
  asked: ServiceConnection | null = null;
  private command: CommandUnknownOpts | null = null;
  private flags: GlobalFlags = {};
  private written: Output | null = null;

  constructor(readonly context: CliContext) {}

  begin(flags: GlobalFlags, command: CommandUnknownOpts): void {
    this.flags = flags;
    this.command = command;
  }

  /** Describes the failure of the command, and says what to try. */
  failureText(error: unknown, isJson: boolean): string {
    const { command, asked } = this;
    const next = command === null ? null : nextCommand(error, { command, url: asked?.url ?? null });
    return failureText(error, isJson, asked, next);
  }

  get output(): Output {
    this.written ??= new Output(this.context.streams, this.flags.json === true);
    return this.written;
  }

  /** The account to act for, as id or external id; undefined for the key's own account. A profile's is known once it is connected. */
  get account(): string | undefined {
    return this.flags.account ?? (this.context.env.HERMOD_ACCOUNT || this.asked?.account);
  }

  /** The options of every command. */
  get given(): GlobalFlags {
    return this.flags;
  }

  /** The name of the profile that an option or a variable names; null for none. */
  get profile(): string | null {
    return this.flags.profile ?? (this.context.env.HERMOD_PROFILE || null);
  }

  profiles(): Promise<Profiles> {
    return readProfiles(profilesFile(this.context.env));
  }

  async changeProfiles(change: (before: Profiles) => Profiles): Promise<void> {
    const file = profilesFile(this.context.env);
    if (file === null) throw new UsageError("There is no home folder for the profiles; set XDG_CONFIG_HOME");
    await writeProfiles(file, change(await readProfiles(file)));
  }

  /** Connects to the service. Makes every POST safe to repeat, but gives up soon if the service is unreachable. */
  hermod(): Promise<Hermod> {
    return this.hermodWith({ maxRetries: 2 });
  }

  /** Connects for an endless command: waits for an unreachable service, and says so. */
  patientHermod(): Promise<Hermod> {
    return this.hermodWith({ maxRetries: Number.POSITIVE_INFINITY, fetch: reportingOutages(this.output) });
  }

  /** Connects for a command that rather does without an answer than waits. */
  hastyHermod(timeoutMs: number): Promise<Hermod> {
    return this.hermodWith({ maxRetries: 0, timeoutMs });
  }

  /** Connects like `hermod`, for calls of any route. */
  async transport(): Promise<Transport> {
    return transportOf(await this.optionsWith({ maxRetries: 2 }));
  }

  private async hermodWith(options: Partial<HermodOptions>): Promise<Hermod> {
    return new Hermod(await this.optionsWith(options));
  }

  private async optionsWith(options: Partial<HermodOptions>): Promise<HermodOptions> {
    this.asked = await findConnection(this.flags, this.context.env, await this.profiles());
    const { url, key } = this.asked;
    const { account } = this;
    const asking = {
      ...(account !== undefined && { account }),
      ...(this.flags.cell !== undefined && { cell: this.flags.cell }),
      newIdempotencyKey: () => crypto.randomUUID(),
      parse: parseExactly,
      fetch: fetchLocally,
    };
    return { url, key, ...asking, ...options };
  }
}

/** Statuses of a service that is temporarily unavailable, or of its gateway. */
const AWAY = [502, 503, 504];

/** Makes a fetch that reports once when the service becomes unreachable, and once when it is back. */
export function reportingOutages(output: Pick<Output, "note">) {
  let wasAway = false;
  const report = (isAway: boolean) => {
    if (isAway && !wasAway) output.note("Hermod can't be reached. The command continues once it is back.");
    if (!isAway && wasAway) output.note("Hermod is back.");
    wasAway = isAway;
  };
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetchLocally(url, init);
      report(AWAY.includes(response.status));
      return response;
    } catch (error) {
      // An aborted request says nothing about the service.
      if (!(error instanceof Error && error.name === "AbortError")) report(true);
      throw error;
    }
  };
}
