import type { Clock } from "../../runtime/clock";
import { Deadline } from "../deadline";
import { neverConnected } from "../failure";
import type { ResolvedTarget } from "../targets/route";
import type { Connected, Connection } from "./connection";

export type AddressRaceOptions = Readonly<{
  clock: Pick<Clock, "after">;
  /** Returns an address that was not tried yet; null if all were. Throws if none is permitted any more. */
  next(tried: readonly string[]): ResolvedTarget | null;
  dial(target: ResolvedTarget, deadline: Deadline): Promise<Connection>;
  /** Called for an address to which no connection could be made in time. */
  avoid(target: ResolvedTarget): void;
}>;

/**
 * Milliseconds without a connection after which another address is dialled too. Browsers wait half as long, but no user
 * waits here, and a handshake over a long way should end before a second one begins.
 */
const PATIENCE_MS = 500;

/**
 * Connects to the first of a name's addresses that answers (RFC 8305), before anything is sent. So an address that
 * swallows packets costs a moment, not the whole deadline.
 */
export class AddressRace {
  /** Dials under way, in the order they began. */
  private readonly dials = new Map<ResolvedTarget, Deadline>();
  private readonly tried: string[] = [];
  private readonly result = Promise.withResolvers<Connected>();
  private isOver = false;
  private stopTimer: () => void = () => {};

  constructor(private readonly options: AddressRaceOptions) {}

  /** Rejects with the last dial's error; after a cut, with the first dial's. */
  run(first: ResolvedTarget, deadline: Deadline): Promise<Connected> {
    deadline.onPassed(() => this.cut());
    this.begin(first);
    return this.result.promise;
  }

  private begin(target: ResolvedTarget): void {
    const { clock, dial } = this.options;
    const deadline = new Deadline();
    this.dials.set(target, deadline);
    this.tried.push(target.address);
    this.stopTimer();
    this.stopTimer = clock.after(PATIENCE_MS, () => this.beginNext());
    dial(target, deadline).then(
      (connection) => this.connected(target, connection),
      (error) => this.failed(target, error),
    );
  }

  private beginNext(): void {
    try {
      const target = this.options.next(this.tried);
      if (target) this.begin(target);
    } catch (error) {
      this.reject(error);
    }
  }

  private connected(target: ResolvedTarget, connection: Connection): void {
    if (this.isOver) {
      connection.destroy();
      return;
    }
    for (const earlier of this.dials.keys()) {
      if (earlier === target) break;
      this.options.avoid(earlier);
    }
    this.dials.delete(target);
    this.end();
    this.result.resolve({ target, connection });
  }

  // Only an address that can't be connected to is passed over. Any other failure may be one endpoint's alone, and many
  // endpoints may have this address.
  private failed(target: ResolvedTarget, error: unknown): void {
    if (this.isOver) return;
    this.dials.delete(target);
    if (!neverConnected(error)) {
      this.reject(error);
      return;
    }
    this.options.avoid(target);
    this.beginNext();
    if (this.dials.size === 0) this.reject(error);
  }

  /** Cuts all dials. Each rejects, and the race rejects with the first one's error. */
  private cut(): void {
    this.stopTimer();
    for (const [target, deadline] of this.dials) {
      this.options.avoid(target);
      deadline.expire();
    }
  }

  private reject(error: unknown): void {
    this.end();
    this.result.reject(error);
  }

  private end(): void {
    this.isOver = true;
    this.stopTimer();
    for (const deadline of this.dials.values()) deadline.expire();
    this.dials.clear();
  }
}
