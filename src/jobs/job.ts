import type { DeliveryStatus } from "../domain/delivery-status";
import type { AccountId, DeliveryId, EndpointId, EventId, JobId } from "../domain/ids";
import type { JobKind, JobState } from "../domain/job";

/** Selects the deliveries or events of a job. Times are Unix milliseconds; `createdBefore` is exclusive. */
type JobSelection<Kind extends JobKind> = {
  kind: Kind;
  event: string | null;
  createdFrom: number | null;
  createdBefore: number;
};

/** A task to send an endpoint's deliveries again. */
export type Replay = JobSelection<"replay"> & {
  endpointId: EndpointId;
  /** Only deliveries with this outcome; null: delivered or failed ones. */
  status: Exclude<DeliveryStatus, "pending"> | null;
};

/** A task to send an endpoint the events that it wants and never got. */
export type MissingReplay = JobSelection<"missing_replay"> & { endpointId: EndpointId; status: null };

/** A task to erase payloads, of one endpoint's deliveries or of all. */
export type Erasure = JobSelection<"erasure"> & { endpointId: EndpointId | null; status: null };

/** A task to send chosen deliveries again, to any endpoints. Its scope is the filter that chose them, for people. */
export type Resend = JobSelection<"resend"> & {
  endpointId: EndpointId | null;
  status: Exclude<DeliveryStatus, "pending"> | null;
  /** True if it sends none that is older than the last change of its endpoint's origin. */
  atOriginOnly: boolean;
  /** The deliveries that it has not sent yet, in the order of ids. */
  remaining: DeliveryId[];
};

/** The task of a job. */
export type Task = Replay | MissingReplay | Resend | Erasure;

/** The position of a job: everything up to this id is done. */
export type JobPosition = DeliveryId | EventId;

/** The progress of a job. */
type State = {
  id: JobId;
  accountId: AccountId;
  state: JobState;
  /** Deliveries or events in its range when it was created; null if they were too many to count, or partly in files. */
  total: number | null;
  /** Numbers of deliveries or events that it has read, and that it has changed. */
  examined: number;
  done: number;
  /** The reason of the failure, for people; null unless it failed. */
  failure: string | null;
  createdAt: number;
  completedAt: number | null;
};

/** Work on many deliveries, done step by step. */
export type Job<T extends Task = Task> = Omit<T, "remaining" | "atOriginOnly"> & State;

/** A running job as its steps see it. Everything up to `position` is done. */
export type RunningJob<T extends Task = Task> = T &
  State & {
    position: JobPosition;
    /** Wait before this step in milliseconds, because the last step did not move the job; 0 if it did. */
    waitedMs: number;
  };

/** The result of a step, stored in the step's transaction. */
export type JobProgress = {
  position: JobPosition;
  /** The deliveries that a resend has still to send; undefined if the step changed nothing. */
  remaining?: readonly DeliveryId[] | undefined;
  examined: number;
  done: number;
  /** `on`: the job continues at its next turn. `stalled`: it could not move and waits. Otherwise it is over. */
  next: "on" | "stalled" | "completed" | { failure: string };
  /** Called once the step has committed. */
  afterCommit(): void;
};
