import { type Static, Type } from "@sinclair/typebox";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { moment, named, nullable, request, text, timestamp, words, written } from "../../api/openapi/schema";
import { DELIVERY_STATUSES } from "../../domain/delivery-status";
import { toText } from "../../domain/ids";
import { JOB_KINDS, JOB_STATES } from "../../domain/job";
import { EVENT_MAX_LENGTH } from "../../domain/names";
import type { Job } from "../../jobs/job";
import { MAX_TOTAL } from "../../jobs/jobs";

/** The statuses of deliveries that a replay can select. */
export const ENDED = DELIVERY_STATUSES.filter((status) => status !== "pending");

const range = {
  after: Type.Optional(moment("Selects deliveries created at this moment or later (ISO 8601).")),
  before: Type.Optional(moment("Selects deliveries created before this moment (ISO 8601). Default: now.")),
  event: Type.Optional(
    text({
      minLength: 1,
      maxLength: EVENT_MAX_LENGTH,
      description: "Selects deliveries of this event type.",
    }),
  ),
};

export const CreateReplay = request(
  "CreateReplay",
  Type.Object({
    ...range,
    status: Type.Optional(
      words("EndedStatus", ENDED, {
        description:
          "Selects deliveries with this status. Default: delivered and failed. Not together with `missing`.",
      }),
    ),
    missing: Type.Optional(
      Type.Boolean({
        description:
          "True: sends the events of the range that the endpoint's filter matches now and of which it has no delivery.",
      }),
    ),
  }),
);

export const CreateErasure = request(
  "CreateErasure",
  Type.Object({
    ...range,
    endpoint_id: Type.Optional(
      Type.String({
        description: "Selects deliveries to this endpoint. The endpoint may be deleted already.",
      }),
    ),
  }),
);

const scope = named(
  "JobScope",
  Type.Object({
    endpoint_id: nullable(Type.String()),
    event: nullable(Type.String()),
    status: nullable(words("EndedStatus", ENDED)),
    after: nullable(timestamp()),
    before: timestamp(),
  }),
);
const progress = named(
  "JobProgress",
  Type.Object({
    total: nullable(
      Type.Integer({
        description:
          "Deliveries in the range, of a `missing_replay` events and of an erasure of all endpoints both, counted when the job began. It can grow by deliveries that were being accepted at that " +
          `moment. Null if there were more than ${written(MAX_TOTAL)}, or if some are in files.`,
      }),
    ),
    examined: Type.Integer({ description: "The number of them that the job has processed so far." }),
    done: Type.Integer({
      description:
        "Deliveries sent again; or deliveries and events whose payload was erased, including those that share it.",
    }),
  }),
);

export const JobModel = named(
  "Job",
  Type.Object({
    id: Type.String({ description: "Begins with `job_`." }),
    kind: words("JobKind", JOB_KINDS),
    status: words("JobStatus", JOB_STATES),
    scope,
    progress,
    failure: nullable(Type.String({ description: "The reason of the failure, for people." })),
    created_at: timestamp(),
    completed_at: nullable(timestamp()),
  }),
);

export const JobPage = named("JobPage", cursorPageOf("Job"));

export type JobView = Static<typeof JobModel>;

export function viewOfJob(job: Job): JobView {
  return {
    id: toText("job", job.id),
    kind: job.kind,
    status: job.state,
    scope: {
      endpoint_id: job.endpointId && toText("ep", job.endpointId),
      event: job.event,
      status: job.status,
      after: formatMaybe(job.createdFrom),
      before: formatInstant(job.createdBefore),
    },
    progress: progressOf(job),
    failure: job.failure,
    created_at: formatInstant(job.createdAt),
    completed_at: formatMaybe(job.completedAt),
  };
}

/** Returns the progress. The total is at least `examined`, since deliveries may be accepted while the range is counted. */
function progressOf({ total, examined, done }: Job): JobView["progress"] {
  return { total: total === null ? null : Math.max(total, examined), examined: examined, done };
}

export const JOB_EXAMPLE = {
  id: "job_01k9x3w7r2e5bt8m1n4p6r8s0v",
  kind: "replay",
  status: "running",
  scope: {
    endpoint_id: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
    event: null,
    status: "failed",
    after: "2026-01-31T00:00:00.000Z",
    before: "2026-01-31T12:00:00.000Z",
  },
  progress: { total: 4_000, examined: 2_000, done: 120 },
  failure: null,
  created_at: "2026-01-31T12:00:00.000Z",
  completed_at: null,
} satisfies JobView;
