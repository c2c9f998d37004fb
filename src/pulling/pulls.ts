import { type Database, untilNoDeadlock } from "../db/database";
import type { AccountId, EndpointId } from "../domain/ids";
import { longestWait } from "../domain/retry-policy";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { NOTHING, type PullAnswer, type PullRequest } from "./pull";
import { findReady } from "./ready";
import { type ReceivingPolicy, receive } from "./receive";
import { MOST_WAITING, WaitingRoom } from "./waiting-room";

export type PullsOptions = Readonly<{
  db: Database;
  clock: Clock;
  log: Log;
  /** The schedule of endpoints that have none of their own. */
  retrySchedule: readonly number[];
  /** See `reasonToDisable`. */
  disableAfterMs: number;
  /** Called once nothing is left of the pull of an endpoint that was switched to push. */
  onHandedOver(id: EndpointId): void;
}>;

/** A request that waits for deliveries. */
export type PullWait = Readonly<{
  ms: number;
  /** Ends the wait, when nobody reads the answer any more. */
  ended: AbortSignal;
  /** Called after a wait, before anything is handed out. Throws if the caller may not read any more. */
  check(): Promise<void>;
}>;

/** Serves receivers that read their deliveries. Every method throws `DatabaseUnavailable`. */
export class Pulls {
  private readonly room: WaitingRoom;
  private readonly waiting = { process: 0, accounts: new Map<AccountId, number>() };

  constructor(private readonly options: PullsOptions) {
    const { db, clock, log } = options;
    const longestWaitMs = longestWait(options.retrySchedule);
    this.room = new WaitingRoom({
      clock,
      log,
      findReady: (endpoints) => db.run((sql) => findReady(sql, endpoints, longestWaitMs)),
    });
  }

  /** Settles what the receiver has read, and hands out the next page. If nothing is there, waits for it. */
  async receive(
    accountId: AccountId,
    endpointId: EndpointId,
    request: PullRequest,
    wait: PullWait,
  ): Promise<PullAnswer> {
    const first = await this.once(accountId, endpointId, request);
    if (!isEmpty(first) || request.limit === 0 || wait.ms === 0) return first;
    if (!this.enter(accountId)) return first;
    try {
      return await this.later(accountId, endpointId, { ...request, settles: null }, wait);
    } finally {
      this.leave(accountId);
    }
  }

  /** Reports an accepted delivery, or another change after which a waiting request may get something. */
  arrived(endpointId: EndpointId): void {
    this.room.wake(endpointId);
  }

  /** By endpoint, functions that wake the requests that wait. Intake calls the first one without any code of this room. */
  get wakers(): ReadonlyMap<EndpointId, ReadonlySet<() => void>> {
    return this.room.waiting;
  }

  /** Ends all waits, so that their requests are answered. */
  close(): void {
    this.room.close();
  }

  private async later(
    accountId: AccountId,
    endpointId: EndpointId,
    request: PullRequest,
    { ms, ended, check }: PullWait,
  ): Promise<PullAnswer> {
    const until = this.options.clock.monotonic() + ms;
    for (;;) {
      const leftMs = until - this.options.clock.monotonic();
      if (leftMs > 0) await this.room.wait(endpointId, leftMs, ended);
      if (ended.aborted) return NOTHING;
      await check();
      const answer = await this.once(accountId, endpointId, request);
      if (answer.kind === "pushed") return NOTHING;
      if (!isEmpty(answer) || leftMs <= 0 || this.room.isOver) return answer;
    }
  }

  private async once(
    accountId: AccountId,
    endpointId: EndpointId,
    request: PullRequest,
  ): Promise<PullAnswer> {
    const { db, retrySchedule: schedule, disableAfterMs, onHandedOver } = this.options;
    const policy: ReceivingPolicy = {
      schedule,
      disableAfterMs,
      random: Math.random(),
      longestWaitMs: longestWait(schedule),
    };
    const answer = await untilNoDeadlock(() =>
      db.transaction((sql) => receive(sql, accountId, endpointId, request, policy)),
    );
    if (answer.kind === "handed_over") onHandedOver(endpointId);
    // Another receiver may get what this one left, or what it has made free.
    if (answer.kind === "page" && (answer.deliveries.length > 0 || request.settles)) this.arrived(endpointId);
    return answer;
  }

  private enter(accountId: AccountId): boolean {
    const ofAccount = this.waiting.accounts.get(accountId) ?? 0;
    if (this.waiting.process >= MOST_WAITING.process || ofAccount >= MOST_WAITING.account) return false;
    this.waiting.process++;
    this.waiting.accounts.set(accountId, ofAccount + 1);
    return true;
  }

  private leave(accountId: AccountId): void {
    const left = (this.waiting.accounts.get(accountId) ?? 1) - 1;
    this.waiting.process--;
    if (left === 0) this.waiting.accounts.delete(accountId);
    else this.waiting.accounts.set(accountId, left);
  }
}

function isEmpty(answer: PullAnswer): boolean {
  return answer.kind === "page" && answer.deliveries.length === 0;
}
