import type { DeliveryStatus } from "../deliveries/delivery";
import type { AccountId, DeliveryId, EndpointId, JobId } from "../runtime/ids";

export const JOB_STATES = ["running", "completed", "cancelled", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_KINDS = ["replay", "erasure"] as const satisfies Task["kind"][];

/** Which deliveries a job is about. Times are Unix milliseconds: from the first, inclusive, to the second, exclusive. */
type Scope = { event: string | null; createdFrom: number | null; createdBefore: number };

/** To send an endpoint's deliveries again. */
export type Replay = Scope & {
  kind: "replay";
  endpointId: EndpointId;
  /** Those that ended so; null: that were delivered or failed. */
  status: Exclude<DeliveryStatus, "pending"> | null;
};

/** To erase payloads, of one endpoint's deliveries or of all. */
export type Erasure = Scope & { kind: "erasure"; endpointId: EndpointId | null; status: null };

/** What a job is to do. */
export type Task = Replay | Erasure;

/** How far a job is. */
type State = {
  id: JobId;
  accountId: AccountId;
  state: JobState;
  /** Deliveries in its range, when it was made; null: too many to count. */
  total: number | null;
  /** Deliveries of its range that it has looked at, and those it did its work on. */
  lookedAt: number;
  done: number;
  /** Why it failed. */
  failure: string | null;
  createdAt: number;
  completedAt: number | null;
};

/** Work on many deliveries, done step by step. */
export type Job<T extends Task = Task> = T & State;

/** A job as its steps see it: everything up to `position` is behind it. */
export type RunningJob<T extends Task = Task> = Job<T> & {
  position: DeliveryId;
  /** How long it waited for this step because the one before did not move it, milliseconds; 0: that did. */
  waitedMs: number;
};

/** What a step did, to be kept in its transaction. */
export type Progress = {
  position: DeliveryId;
  lookedAt: number;
  done: number;
  /** The job goes on at its next turn, or after a wait since it could not move; or it is over. */
  next: "on" | "stalled" | "completed" | { failure: string };
  /** To be told once the step has committed. */
  announce(): void;
};
