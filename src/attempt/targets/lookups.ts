import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import { Admission, type Claimant } from "../admission";
import { detailOf, OwnFailure, orOwnFailureToConnect, TargetError } from "../failure";
import type { Address } from "./address";
import { beginLookup, type Lookup } from "./system-lookup";

/** The result of a look-up. `uses` counts its uses, so that its addresses are used in turn. */
export type LookupResult = {
  readonly addresses: readonly Address[];
  readonly failure: TargetError | OwnFailure | null;
  readonly expiresAt: number;
  uses: number;
};

export type LookupsOptions = { lookup: Lookup; clock: Clock; ttlMs: number; timeoutMs: number };

/** Milliseconds for which a failed look-up is remembered. */
const FAILURE_TTL_MS = 1_000;
const MAX_NAMES = 10_000;
/**
 * `most`: look-ups under way. `waitMs`: longest wait for a slot. Anybody can register names whose servers never answer, and
 * c-ares gives up only after 5 s. With 32,768 queries the process hangs, because c-ares searches for a free query number for
 * ever. Many resolvers refuse more than a thousand queries at a time, and one look-up makes up to nine.
 */
export const LOOKUPS = { most: 96, waitMs: 10_000 } as const;
/** Most addresses of a name that are checked and used. An answer may have thousands. */
export const MAX_ADDRESSES = 32;

/** Looks names up, and keeps the answers for a while. Requests for one name share a look-up. */
export class Lookups {
  private readonly answers = new BoundedMap<string, LookupResult>(MAX_NAMES);
  private readonly asked = new Map<string, Promise<LookupResult>>();
  // Separate from `asked`: a look-up continues after its requests have timed out. So a name whose servers never answer has
  // one look-up, not one for each attempt.
  private readonly underway = new Map<string, Promise<readonly Address[]>>();
  /** A look-up uses the slot of the request that asked first. */
  private readonly slots = new Admission(LOOKUPS.most);

  constructor(private readonly options: LookupsOptions) {}

  /** Returns a fresh answer, or null. */
  known(name: string): LookupResult | null {
    const answer = this.answers.get(name);
    return answer && answer.expiresAt > this.options.clock.monotonic() ? answer : null;
  }

  /** Looks the name up. Never rejects. */
  ask(name: string, claimant: Claimant): Promise<LookupResult> {
    const asked = this.asked.get(name);
    if (asked) return asked;
    const mayAsk = this.underway.has(name) || this.slots.tryEnter(claimant);
    return mayAsk ? this.askNow(name, claimant) : this.askInTurn(name, claimant);
  }

  /** Waits for a slot. Another account may ask for the same name meanwhile, and get its slot sooner. */
  private async askInTurn(name: string, claimant: Claimant): Promise<LookupResult> {
    const { clock } = this.options;
    const until = clock.monotonic() + LOOKUPS.waitMs;
    const hasEntered = await this.slots.enter(claimant, () => clock.monotonic() < until);
    // A look-up that another request has made or begun meanwhile needs no slot.
    const answer = this.known(name) ?? this.asked.get(name);
    const needsSlot = !answer && !this.underway.has(name);
    if (hasEntered && !needsSlot) this.slots.leave(claimant);
    if (answer) return answer;
    if (hasEntered || !needsSlot) return this.askNow(name, claimant);
    return this.unremembered(new TargetError("dns", "too_many_lookups"));
  }

  private askNow(name: string, claimant: Claimant): Promise<LookupResult> {
    const answer = this.answer(name, claimant).finally(() => this.asked.delete(name));
    this.asked.set(name, answer);
    return answer;
  }

  private async answer(name: string, claimant: Claimant): Promise<LookupResult> {
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
    ended.then(() => this.slots.leave(claimant));
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

  /** Makes a failure that is not kept: it says nothing about the name, and others may ask for it. */
  private unremembered(failure: TargetError | OwnFailure): LookupResult {
    return { addresses: [], failure, expiresAt: this.options.clock.monotonic(), uses: 0 };
  }

  private remember(name: string, addresses: readonly Address[], failure: TargetError | null): LookupResult {
    const { clock, ttlMs } = this.options;
    const expiresAt = clock.monotonic() + (failure ? Math.min(ttlMs, FAILURE_TTL_MS) : ttlMs);
    const answer = { addresses, failure, expiresAt, uses: this.answers.get(name)?.uses ?? 0 };
    this.answers.set(name, answer);
    return answer;
  }
}
