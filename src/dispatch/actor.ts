import type { Clearance } from "../attempt/clearance";
import { DatabaseUnavailable } from "../db/database";
import type { QueueKey } from "../db/queue-key";
import type { Ordering } from "../endpoints/tuning";
import type { Outcome, RecordAnswer } from "../recorder/outcome";
import type { Clock } from "../runtime/clock";
import { type EndpointId, toText } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { DeliveryMessage } from "../stream/message";
import type { BacklogPage } from "./backlog";
import type { PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import type { Rest } from "./rests";
import type { Room } from "./room";
import type { UnorderedBacklogPage } from "./unordered-backlog";

/** What an actor does its work with. */
export type ActorDeps = Readonly<{
  clock: Clock;
  log: Log;
  read(partition: number, endpointId: EndpointId, after: number): Promise<BacklogPage>;
  /** The same of an endpoint without order, and without the sequences that are in flight. */
  readUnordered(
    partition: number,
    endpointId: EndpointId,
    after: number,
    without: readonly number[],
  ): Promise<UnorderedBacklogPage>;
  /** Makes the attempt, unless it is not cleared any more when it could begin, which may be late: then null. Never rejects. */
  attempt(
    delivery: PendingDelivery,
    endpoint: EndpointView,
    queue: QueueKey,
    clearance: Clearance,
  ): Promise<Outcome | null>;
  record(outcome: Outcome): Promise<RecordAnswer>;
  /** For what waits here, of all actors together. */
  room: Pick<Room, "isFull" | "holding">;
  /** True while the partition is surely ours. */
  mayActOn(partition: number): boolean;
  /** Since when all attempts at a partition's endpoints are known here; monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Whether slow and failing receivers of the partition are to be sent nothing new for now. */
  isCalm(partition: number): boolean;
  /** Told once, when the actor has ended and its last attempt, if any, is recorded or given up. */
  onClosed(actor: Actor): void;
}>;

/** One endpoint at work, in whichever way. */
export type Actor = Readonly<{
  queue: QueueKey;
  /** The way in which the endpoint is to be taken up again when this one has closed; null: there is no reason to. */
  successor: Ordering | null;
  /** When the last attempt was over, on the monotonic clock; -Infinity: there was none. */
  lastWorkedAt: number;
  /** A message of the stream: taken, or let go of at once. */
  announce(message: DeliveryMessage): void;
  /**
   * There may be work in Postgres that no message told of; with the last sequence given out, if that is known. It is due
   * within `aheadMs`, if that is said.
   */
  wake(lastSequence: number | null, aheadMs?: number): void;
  /** The endpoint was changed, paused, resumed or deleted. */
  endpointChanged(): void;
  /** Ends now. Attempts under way are still recorded, if Postgres takes them. */
  close(): void;
  /** Starts nothing more, and ends once the attempts under way are recorded. */
  drain(): void;
  /** Takes up work again after `drain`, unless it has ended. */
  resume(): void;
  /** Since when there has been nothing to do, nor will be for `aheadMs`, on the monotonic clock; Infinity: there is. */
  restsSince(aheadMs: number): number;
  /** What a successor needs to begin without reading; null: it has to read. */
  rest: Rest | null;
}>;

/** A backlog that could not be read is tried again after this long, doubling up to the second. */
export const READ_RETRY_MS = { first: 250, most: 10_000 };

/** Postgres away fails all endpoints with work, over and over: whoever renews the leases tells of it once. */
export function tellUnread(log: Log, queue: QueueKey, error: unknown): void {
  const level = error instanceof DatabaseUnavailable ? "debug" : "warn";
  log[level]({ ...toldQueue(queue), ...describeError(error) }, "a backlog could not be read");
}

/** Records an outcome; null when it can't be: the sweep takes the endpoint up again. */
export async function tryRecord(
  deps: Pick<ActorDeps, "record" | "log">,
  queue: QueueKey,
  outcome: Outcome,
): Promise<RecordAnswer | null> {
  try {
    return await deps.record(outcome);
  } catch (error) {
    deps.log.error({ ...toldQueue(queue), ...describeError(error) }, "an outcome was not recorded");
    return null;
  }
}

/** The queue for the log, with the id that the API knows the endpoint by. */
function toldQueue({ partition, endpointId }: QueueKey) {
  return { partition, endpoint_id: toText("ep", endpointId) };
}
