import { BoundedMap } from "../runtime/bounded-map";
import type { Exchange } from "./exchange";

/** The account and the speed of an endpoint that wants a slot. */
export type Claimant = Readonly<{ account: string; speed: ReceiverSpeed }>;

type QueuedClaimant<V> = Readonly<{ claimant: V; stillWanted(): boolean; end(hasEntered: boolean): void }>;

/** Waiting claimants of one speed, by account. Accounts take turns in the order of the map. */
type Lines<V> = Map<string, Set<QueuedClaimant<V>>>;

/**
 * Most slots that endpoints of a speed and of slower ones may hold, as a multiple of the slots that stay free. So slow
 * endpoints get at most half of all slots, and endpoints never tried leave a quarter free.
 */
const SHARES: Readonly<Record<ReceiverSpeed, number>> = { slow: 1, new: 3, prompt: Number.POSITIVE_INFINITY };
/** Most slots of one account, as a multiple of the free slots. So even a fast account leaves an eighth to the others. */
const ACCOUNT_SHARE = 7;
/**
 * Admits a new endpoint like a prompt one while its account holds less than this share of all slots. Otherwise one account
 * with thousands of new endpoints that hang would block everybody else's new endpoints, and after a start all are new.
 */
const NEWCOMER_SHARE = 1 / 64;
/** Slowest first. */
const WORST_FIRST = ["slow", "new", "prompt"] as const satisfies readonly ReceiverSpeed[];

/**
 * Admits up to `limit` exchanges at a time, fairly among accounts and speeds. A receiver may hold its slot until the
 * deadline, so slow endpoints never get the last slots. The bounds move with the number of free slots: all are used when
 * nobody else wants one, and accounts that hold many wait for accounts that hold few. An account or a speed that holds
 * nothing enters as soon as a slot is free, and accounts take turns, so nobody waits for ever.
 *
 * A claimant may weigh several slots. The last one in may take more than there are, so none is too large to enter.
 */
export class Admission<V extends Claimant = Claimant> {
  private inside = 0;
  private waitingInAll = 0;
  private readonly bySpeed: Record<ReceiverSpeed, number> = { slow: 0, new: 0, prompt: 0 };
  private readonly byAccount = new Map<string, number>();
  private readonly waiting: Record<ReceiverSpeed, Lines<V>> = {
    slow: new Map(),
    new: new Map(),
    prompt: new Map(),
  };

  /** `weigh` returns how many slots a claimant takes; one unless given. */
  constructor(
    private readonly limit: number,
    private readonly weigh: (claimant: V) => number = () => 1,
  ) {}

  /** Number of slots in use. */
  get occupied(): number {
    return this.inside;
  }

  /** Number of waiting claimants. */
  get queued(): number {
    return this.waitingInAll;
  }

  /** Enters if there is a slot now. Call `leave` once for each claimant that entered. */
  tryEnter(claimant: V): boolean {
    if (!this.mayEnter(claimant.speed, claimant.account)) return false;
    this.count(claimant, 1);
    return true;
  }

  /**
   * Waits for a slot: round-robin over accounts, first in first out within an account. Resolves to false, without a slot,
   * once `stillWanted` returns false.
   */
  enter(claimant: V, stillWanted: () => boolean): Promise<boolean> {
    if (this.tryEnter(claimant)) return Promise.resolve(true);
    return new Promise((end) => {
      const lines = this.waiting[claimant.speed];
      const line = lines.get(claimant.account) ?? new Set();
      line.add({ claimant, stillWanted, end });
      lines.set(claimant.account, line);
      this.waitingInAll++;
    });
  }

  /** Removes waiting claimants whose `stillWanted` returns false. */
  dropUnwanted(): void {
    for (const lines of Object.values(this.waiting)) {
      for (const [account, line] of lines) {
        for (const each of [...line].filter(({ stillWanted }) => !stillWanted())) {
          line.delete(each);
          this.waitingInAll--;
          each.end(false);
        }
        if (line.size === 0) lines.delete(account);
      }
    }
  }

  /** Frees the slot, and admits waiting claimants. */
  leave(claimant: V): void {
    this.count(claimant, -1);
    while (this.waitingInAll > 0) {
      const next = this.next();
      if (!next) return;
      this.count(next.claimant, 1);
      next.end(true);
    }
  }

  /** Picks slow claimants first: they may enter only while they are few, and prompt ones would leave them nothing. */
  private next(): QueuedClaimant<V> | null {
    for (const speed of WORST_FIRST) {
      if (speed === "slow" && !this.hasShareFor(speed)) continue;
      const lines = this.waiting[speed];
      for (const [account, line] of lines) {
        if (!this.mayEnter(speed, account)) continue;
        const first = this.takeFrom(lines, account, line);
        if (first) return first;
      }
    }
    return null;
  }

  /** Takes the first claimant that is still wanted. */
  private takeFrom(lines: Lines<V>, account: string, line: Set<QueuedClaimant<V>>): QueuedClaimant<V> | null {
    // Puts the account's next turn behind all others.
    lines.delete(account);
    for (const first of line) {
      line.delete(first);
      this.waitingInAll--;
      if (!first.stillWanted()) {
        first.end(false);
        continue;
      }
      if (line.size > 0) lines.set(account, line);
      return first;
    }
    return null;
  }

  private mayEnter(speed: ReceiverSpeed, account: string): boolean {
    const held = this.byAccount.get(account) ?? 0;
    if (held >= ACCOUNT_SHARE * (this.limit - this.inside)) return false;
    return this.hasShareFor(speed) || (speed === "new" && held < this.limit * NEWCOMER_SHARE);
  }

  private hasShareFor(speed: ReceiverSpeed): boolean {
    const free = this.limit - this.inside;
    return free > 0 && this.heldByNoFasterThan(speed) < SHARES[speed] * free;
  }

  private heldByNoFasterThan(speed: ReceiverSpeed): number {
    if (speed === "prompt") return this.inside;
    const { slow } = this.bySpeed;
    return speed === "slow" ? slow : slow + this.bySpeed.new;
  }

  private count(claimant: V, sign: 1 | -1): void {
    const { account, speed } = claimant;
    const by = sign * this.weigh(claimant);
    this.inside += by;
    this.bySpeed[speed] += by;
    const held = (this.byAccount.get(account) ?? 0) + by;
    if (held === 0) this.byAccount.delete(account);
    else this.byAccount.set(account, held);
  }
}

/** The expected speed of an endpoint: how long it will hold its slot. `new` is unknown. */
export type ReceiverSpeed = "slow" | "new" | "prompt";

/** An exchange is slow from this many milliseconds on. */
const SLOW_MS = 1_000;
const MAX_KNOWN = 65_536;

/** Remembers how long each endpoint's last exchange took: an endpoint that hung will hang again, as a rule. */
export class ReceiverSpeeds {
  private readonly known = new BoundedMap<string, "slow" | "prompt">(MAX_KNOWN);

  /** An unknown endpoint is slow if its last attempt failed. Otherwise, after a start in an outage, all would be new. */
  of(endpoint: string, isFailing: boolean): ReceiverSpeed {
    return this.known.get(endpoint) ?? (isFailing ? "slow" : "new");
  }

  note(endpoint: string, { durationMs, error }: Pick<Exchange, "durationMs" | "error">): void {
    const speed = error === "timeout" || durationMs >= SLOW_MS ? "slow" : "prompt";
    if (this.known.get(endpoint) !== speed) this.known.set(endpoint, speed);
  }
}
