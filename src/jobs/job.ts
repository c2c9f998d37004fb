import type { DeliveryStatus } from "../deliveries/delivery";
import type { AccountId, DeliveryId, EndpointId, JobId } from "../runtime/ids";

export const JOB_STATES = ["running", "completed", "cancelled", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_KINDS = ["replay", "erasure"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Which deliveries a job is about. Times are Unix milliseconds: from the first, inclusive, to the second, exclusive. */
export type JobScope = {
  endpointId: EndpointId | null;
  event: string | null;
  status: Exclude<DeliveryStatus, "pending"> | null;
  createdFrom: number | null;
  createdBefore: number;
};

/** Work on many deliveries, done step by step. */
export type Job = JobScope & {
  id: JobId;
  accountId: AccountId;
  kind: JobKind;
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

/** A job as its steps see it: everything up to `position` is behind it. */
export type RunningJob = Job & { position: DeliveryId };

/** What a step did, to be kept in its transaction. */
export type Progress = {
  position: DeliveryId;
  lookedAt: number;
  done: number;
  /** The job goes on after so long at the earliest, milliseconds; or it is over. */
  next: { afterMs: number } | "completed" | { failure: string };
  /** To be told once the step has committed. */
  announce(): void;
};
