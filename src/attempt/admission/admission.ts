import type { ReceiverSpeed } from "./receiver-speeds";

/** Who wants a place. */
export type Claimant = Readonly<{ account: string; speed: ReceiverSpeed }>;

type Waiting<V> = Readonly<{ claimant: V; stillWanted(): boolean; end(hasEntered: boolean): void }>;

/** Those of a speed that wait, by account, in the order of the accounts' turns. */
type Lines<V> = Map<string, Set<Waiting<V>>>;

/**
 * How many places may be held by endpoints of a speed, those of a worse one included, as a multiple of the places that
 * stay free. So endpoints that hang take at most half of all places, and those never tried leave a quarter free…
 */
const SHARES: Readonly<Record<ReceiverSpeed, number>> = { slow: 1, new: 3, prompt: Number.POSITIVE_INFINITY };
/** …and an account takes at most this multiple of what stays free: it leaves others an eighth, however well it does. */
const ACCOUNT_SHARE = 7;
/**
 * An endpoint that was never tried is let in like a prompt one while its account holds less than this share of all places.
 * Otherwise one account with thousands of new endpoints that hang would hold up everybody else's new ones; and after a start,
 * all endpoints are new.
 */
const LITTLE = 1 / 64;
/** Who is known no better than another is among those before it. */
const WORST_FIRST = ["slow", "new", "prompt"] as const satisfies readonly ReceiverSpeed[];

/**
 * Lets `limit` exchanges go at a time. A place is held for as long as a receiver likes, up to the deadline, so those who
 * may hold one for long are never given the last ones: a bound that moves with what is free needs no fixed parts, uses all
 * where nobody else wants any, and has those who hold much wait for those who hold less. A speed or an account that holds
 * nothing may enter as soon as a place is free, and whoever waits has turns: nobody waits for ever.
 *
 * Where some take more than one place, the last to enter may take more than there are: so nobody is too large to enter.
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

  /** Without `weigh` each claimant takes one place. */
  constructor(
    private readonly limit: number,
    private readonly weigh: (claimant: V) => number = () => 1,
  ) {}

  /** How many are taken. */
  get occupied(): number {
    return this.inside;
  }

  /** How many wait. */
  get queued(): number {
    return this.waitingInAll;
  }

  /** Enters if it may now; whoever entered calls `leave` once. Who waits may not, so nobody is overtaken by his like. */
  tryEnter(claimant: V): boolean {
    if (!this.mayEnter(claimant.speed, claimant.account)) return false;
    this.count(claimant, 1);
    return true;
  }

  /**
   * Resolves to true once it has entered: accounts take turns, and an account's own go in the order they came. To false when
   * it was not wanted any more as `dropUnwanted` asked: then there is nothing to leave.
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

  /** Has those wait no longer who are not wanted any more. */
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

  /** Gives the place up, and lets in who may have it. */
  leave(claimant: V): void {
    this.count(claimant, -1);
    while (this.waitingInAll > 0) {
      const next = this.next();
      if (!next) return;
      this.count(next.claimant, 1);
      next.end(true);
    }
  }

  /** The worst first: they may come in only while they are few, and the best would leave them nothing. */
  private next(): Waiting<V> | null {
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

  /** The first that is still wanted. */
  private takeFrom(lines: Lines<V>, account: string, line: Set<Waiting<V>>): Waiting<V> | null {
    // Its next turn is after all others'.
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
    return this.hasShareFor(speed) || (speed === "new" && held < this.limit * LITTLE);
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
