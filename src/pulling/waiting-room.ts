import type { EndpointId } from "../domain/ids";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";

/** Interval of the search for deliveries that other processes accepted, or that are due again. */
const SEARCH_EVERY_MS = 250;
/** Most requests that wait in a process, and most of one account. */
export const MOST_WAITING = { process: 1_000, account: 100 };

export type WaitingRoomOptions = Readonly<{
  /** Returns those of the endpoints whose receivers may be handed something. */
  findReady(endpoints: readonly EndpointId[]): Promise<readonly EndpointId[]>;
  clock: Clock;
  log: Log;
}>;

/** A place where requests of receivers wait for deliveries: woken by this process' accepted deliveries, and by a search. */
export class WaitingRoom {
  /** By endpoint, functions that wake those who wait, in their order. */
  readonly waiting = new Map<EndpointId, Set<() => void>>();
  private isSearching = false;
  /** True once nobody may wait any more. */
  isOver = false;

  constructor(private readonly options: WaitingRoomOptions) {}

  /** Resolves once deliveries of the endpoint may be there, the time is over, or the request has ended. */
  wait(endpointId: EndpointId, ms: number, ended: AbortSignal): Promise<void> {
    if (this.isOver || ended.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = () => {
        cancel();
        ended.removeEventListener("abort", leave);
        this.remove(endpointId, leave);
        resolve();
      };
      const cancel = this.options.clock.after(ms, leave);
      ended.addEventListener("abort", leave);
      this.add(endpointId, leave);
      this.searchLater();
    });
  }

  /** Wakes the request of an endpoint that has waited longest. */
  wake(endpointId: EndpointId): void {
    const [first] = this.waiting.get(endpointId) ?? [];
    first?.();
  }

  /** Ends all waits, and those to come. */
  close(): void {
    this.isOver = true;
    for (const each of [...this.waiting.values()].flatMap((all) => [...all])) each();
  }

  private add(endpointId: EndpointId, leave: () => void): void {
    const here = this.waiting.get(endpointId) ?? new Set();
    this.waiting.set(endpointId, here.add(leave));
  }

  private remove(endpointId: EndpointId, leave: () => void): void {
    const here = this.waiting.get(endpointId);
    here?.delete(leave);
    if (here?.size === 0) this.waiting.delete(endpointId);
  }

  private searchLater(): void {
    if (this.isSearching) return;
    this.isSearching = true;
    this.options.clock.after(SEARCH_EVERY_MS, () => {
      void this.search().finally(() => {
        this.isSearching = false;
        if (this.waiting.size > 0) this.searchLater();
      });
    });
  }

  private async search(): Promise<void> {
    if (this.waiting.size === 0) return;
    try {
      for (const id of await this.options.findReady([...this.waiting.keys()])) this.wake(id);
    } catch (error) {
      this.options.log.debug(
        describeError(error),
        "a search for deliveries to be read failed; the next one follows",
      );
    }
  }
}
