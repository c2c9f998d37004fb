import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { NameServers } from "./name-servers";
import { TargetError } from "./target-error";

export type Address = Readonly<{ address: string; family: 4 | 6 }>;

/** All addresses of a name, best first; rejects when there are none. */
export type Lookup = (name: string) => Promise<readonly Address[]>;

/**
 * What is known of a name. `turn` counts how often it was used, so that its addresses take turns; it is the
 * one thing that changes.
 */
export type Answer = {
  readonly addresses: readonly Address[];
  readonly failure: TargetError | null;
  readonly expiresAt: number;
  turn: number;
};

export type LookupsOptions = { lookup: Lookup; clock: Clock; ttlMs: number; timeoutMs: number };

/** A name that can't be found is asked for again this soon, milliseconds. */
const FAILURE_TTL_MS = 1_000;
const MAX_NAMES = 10_000;
/** Most addresses of a name that are used, hence checked: an answer may hold thousands. */
const MAX_ADDRESSES = 32;

const nameServers = new NameServers();

/** The system's resolver; asks once more where what it failed at may be that the servers are others by now. */
export async function systemLookup(name: string): Promise<readonly Address[]> {
  try {
    return await lookUp(name);
  } catch (error) {
    if (!nameServers.refresh()) throw error;
    return await lookUp(name);
  }
}

// By way of c-ares: the usual way occupies a thread for as long as a name's servers keep silent, and two such names stop
// every other look-up, and all file access, of the process (measured).
function lookUp(name: string): Promise<readonly Address[]> {
  return Bun.dns.lookup(name, { backend: "c-ares" });
}

/** Look-ups of names: remembered for a while, made once however many ask, given up after a time. */
export class Lookups {
  private readonly answers = new BoundedMap<string, Answer>(MAX_NAMES);
  private readonly asked = new Map<string, Promise<Answer>>();
  // Apart from `asked`, because they go on after everybody has stopped waiting: a name whose servers keep
  // silent has one of them, not one per attempt.
  private readonly underway = new Map<string, Promise<readonly Address[]>>();

  constructor(private readonly options: LookupsOptions) {}

  /** A fresh answer, or null. */
  known(name: string): Answer | null {
    const answer = this.answers.get(name);
    return answer && answer.expiresAt > this.options.clock.monotonic() ? answer : null;
  }

  /** Asks; never rejects. */
  ask(name: string): Promise<Answer> {
    const asked = this.asked.get(name);
    if (asked) return asked;
    const answer = this.answer(name).finally(() => this.asked.delete(name));
    this.asked.set(name, answer);
    return answer;
  }

  private async answer(name: string): Promise<Answer> {
    try {
      const addresses = await this.withinTimeout(this.underway.get(name) ?? this.start(name));
      if (addresses.length === 0) throw new TargetError("dns", "the name has no address");
      return this.remember(name, addresses.slice(0, MAX_ADDRESSES), null);
    } catch (error) {
      const failure = error instanceof TargetError ? error : new TargetError("dns", "the look-up failed");
      return this.remember(name, [], failure);
    }
  }

  private start(name: string): Promise<readonly Address[]> {
    const work = this.options.lookup(name);
    this.underway.set(name, work);
    const done = () => void this.underway.delete(name);
    work.then(done, done);
    return work;
  }

  private withinTimeout<T>(work: Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const late = () => reject(new TargetError("dns_timeout", `no answer in ${timeoutMs} ms`));
      const stopTimer = clock.after(timeoutMs, late);
      work.then(resolve, reject).finally(stopTimer);
    });
  }

  private remember(name: string, addresses: readonly Address[], failure: TargetError | null): Answer {
    const { clock, ttlMs } = this.options;
    const expiresAt = clock.monotonic() + (failure ? Math.min(ttlMs, FAILURE_TTL_MS) : ttlMs);
    const answer = { addresses, failure, expiresAt, turn: this.answers.get(name)?.turn ?? 0 };
    this.answers.set(name, answer);
    return answer;
  }
}
