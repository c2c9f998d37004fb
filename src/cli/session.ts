import { Hermod, type HermodOptions } from "../client";
import type { Environment } from "../service/environment";
import { tellingAbsence } from "./absence";
import { type Connection, type ConnectionFlags, findConnection } from "./connection";
import { parseExactly } from "./exact-json";
import { fetchLocally } from "./local-fetch";
import { Output, type Streams } from "./output";

export type GlobalFlags = ConnectionFlags & { account?: string | undefined; json?: true | undefined };

export type Surroundings = {
  env: Environment;
  streams: Streams;
  /** Everything on standard input; null when a person sits there. */
  readInput(): Promise<Uint8Array> | null;
  /** What a person says to a question, an empty text for none; null when no person sits there. */
  ask(question: string): Promise<string> | null;
  /** From this call on, Ctrl-C and its like abort the signal, instead of the process. */
  untilEnded(): AbortSignal;
};

/** What a command has to work with, once its flags are known. */
export class Session {
  /** The service that the command asks; null before it does. */
  asked: Connection | null = null;
  private flags: GlobalFlags = {};
  private written: Output | null = null;

  constructor(readonly surroundings: Surroundings) {}

  begin(flags: GlobalFlags): void {
    this.flags = flags;
  }

  get output(): Output {
    this.written ??= new Output(this.surroundings.streams, this.flags.json === true);
    return this.written;
  }

  /** The account to act for, its id or external id; undefined: that of the key. */
  get account(): string | undefined {
    return this.flags.account ?? (this.surroundings.env.HERMOD_ACCOUNT || undefined);
  }

  /** The service; every POST may be repeated, but nobody is kept waiting long for one that is away. */
  hermod(): Promise<Hermod> {
    return this.hermodWith({ maxRetries: 2 });
  }

  /** The same for what goes on without end: a service that is away is waited for, and that is said. */
  patientHermod(): Promise<Hermod> {
    return this.hermodWith({ maxRetries: Number.POSITIVE_INFINITY, fetch: tellingAbsence(this.output) });
  }

  private async hermodWith(options: Partial<HermodOptions>): Promise<Hermod> {
    this.asked = await findConnection(this.flags, this.surroundings.env);
    const { url, key } = this.asked;
    const { account } = this;
    const asking = {
      ...(account !== undefined && { account }),
      newIdempotencyKey: () => crypto.randomUUID(),
      parse: parseExactly,
      fetch: fetchLocally,
    };
    return new Hermod({ url, key, ...asking, ...options });
  }
}
