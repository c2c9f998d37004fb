import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import { Admission, type Claimant } from "../admission/admission";
import { detailOf } from "../failure";
import { OwnFailure, orOwnFailureToConnect } from "../own-failure";
import { type Address, beginLookup, type Lookup } from "./dual-lookup";
import { NameServers } from "./name-servers";
import { TargetError } from "./target-error";

/**
 * What is known of a name. `turn` counts how often it was used, so that its addresses take turns; it is the
 * one thing that changes.
 */
export type Answer = {
  readonly addresses: readonly Address[];
  readonly failure: TargetError | OwnFailure | null;
  readonly expiresAt: number;
  turn: number;
};

export type LookupsOptions = { lookup: Lookup; clock: Clock; ttlMs: number; timeoutMs: number };

/** A name that can't be found is asked for again this soon, milliseconds. */
const FAILURE_TTL_MS = 1_000;
const MAX_NAMES = 10_000;
/**
 * Most look-ups under way, and how long one waits to be among them. Names whose servers keep silent are anybody's to make up,
 * and c-ares gives one up only after 5 s: 32,768 of them stop the process for good, since it seeks a free number for its
 * query without end. And many resolvers refuse all names beyond a thousand queries at a time; a look-up is up to nine.
 */
export const LOOKUPS = { most: 96, waitMs: 10_000 } as const;
/** Most addresses of a name that are used, hence checked: an answer may hold thousands. */
export const MAX_ADDRESSES = 32;

/** If a look-up fails and resolv.conf has changed since it was read, retries once with the new servers. */
export function heedingServers(lookup: Lookup, servers: Pick<NameServers, "refresh">): Lookup {
  return async (name, family) => {
    try {
      return await lookup(name, family);
    } catch (error) {
      if (!servers.refresh()) throw error;
      return await lookup(name, family);
    }
  };
}

/** The system's resolver. */
export const systemLookup = heedingServers(lookUp, new NameServers());

// By way of c-ares: the usual way occupies a thread for as long as a name's servers keep silent, and two such names stop
// every other look-up, and all file access, of the process (measured).
function lookUp(name: string, family: "any" | 4): Promise<readonly Address[]> {
  return Bun.dns.lookup(name, { backend: "c-ares", family });
}

/** Look-ups of names: remembered for a while, made once however many ask, a few at a time, given up after a time. */
export class Lookups {
  private readonly answers = new BoundedMap<string, Answer>(MAX_NAMES);
  private readonly asked = new Map<string, Promise<Answer>>();
  // Apart from `asked`, because they go on after everybody has stopped waiting: a name whose servers keep
  // silent has one of them, not one per attempt.
  private readonly underway = new Map<string, Promise<readonly Address[]>>();
  /** Each look-up has the place of who asked first. */
  private readonly places = new Admission(LOOKUPS.most);

  constructor(private readonly options: LookupsOptions) {}

  /** A fresh answer, or null. */
  known(name: string): Answer | null {
    const answer = this.answers.get(name);
    return answer && answer.expiresAt > this.options.clock.monotonic() ? answer : null;
  }

  /** Asks; never rejects. */
  ask(name: string, claimant: Claimant): Promise<Answer> {
    const asked = this.asked.get(name);
    if (asked) return asked;
    const mayAsk = this.underway.has(name) || this.places.tryEnter(claimant);
    return mayAsk ? this.askNow(name, claimant) : this.askInTurn(name, claimant);
  }

  /** Each waits by itself: the name may be one that others have too, whose turn comes sooner. */
  private async askInTurn(name: string, claimant: Claimant): Promise<Answer> {
    const { clock } = this.options;
    const until = clock.monotonic() + LOOKUPS.waitMs;
    const hasEntered = await this.places.enter(claimant, () => clock.monotonic() < until);
    // What others have found out or begun meanwhile needs no place.
    const answer = this.known(name) ?? this.asked.get(name);
    const needsPlace = !answer && !this.underway.has(name);
    if (hasEntered && !needsPlace) this.places.leave(claimant);
    if (answer) return answer;
    if (hasEntered || !needsPlace) return this.askNow(name, claimant);
    return this.unremembered(new TargetError("dns", "too_many_lookups"));
  }

  private askNow(name: string, claimant: Claimant): Promise<Answer> {
    const answer = this.answer(name, claimant).finally(() => this.asked.delete(name));
    this.asked.set(name, answer);
    return answer;
  }

  private async answer(name: string, claimant: Claimant): Promise<Answer> {
    try {
      const addresses = await this.withinTimeout(this.underway.get(name) ?? this.start(name, claimant));
      if (addresses.length === 0) throw new TargetError("dns", "name_not_found");
      return this.remember(name, addresses.slice(0, MAX_ADDRESSES), null);
    } catch (thrown) {
      const error = thrown instanceof TargetError ? thrown : orOwnFailureToConnect(thrown);
      if (error instanceof OwnFailure) return this.unremembered(error);
      return this.remember(
        name,
        [],
        error instanceof TargetError ? error : new TargetError("dns", detailOf(error)),
      );
    }
  }

  private start(name: string, claimant: Claimant): Promise<readonly Address[]> {
    const { lookup, clock } = this.options;
    const { addresses, ended } = beginLookup(lookup, name, clock);
    this.underway.set(name, addresses);
    const forget = () => this.underway.delete(name);
    addresses.then(forget, forget);
    ended.then(() => this.places.leave(claimant));
    return addresses;
  }

  private withinTimeout<T>(work: Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const late = () => reject(new TargetError("dns", "no_answer"));
      const stopTimer = clock.after(timeoutMs, late);
      work.then(resolve, reject).finally(stopTimer);
    });
  }

  /** Nothing is known of the name itself, and others may ask for it. */
  private unremembered(failure: TargetError | OwnFailure): Answer {
    return { addresses: [], failure, expiresAt: this.options.clock.monotonic(), turn: 0 };
  }

  private remember(name: string, addresses: readonly Address[], failure: TargetError | null): Answer {
    const { clock, ttlMs } = this.options;
    const expiresAt = clock.monotonic() + (failure ? Math.min(ttlMs, FAILURE_TTL_MS) : ttlMs);
    const answer = { addresses, failure, expiresAt, turn: this.answers.get(name)?.turn ?? 0 };
    this.answers.set(name, answer);
    return answer;
  }
}
