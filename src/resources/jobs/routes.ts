import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { badRequest, conflict, forbidden } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch, readEndpointId, unknownEndpoint } from "../../api/ids";
import { CURSOR_PARAMETERS } from "../../api/lists/cursor-model";
import { cursorPage } from "../../api/lists/cursor-page";
import type { Cursors } from "../../api/lists/cursors";
import { readInstant } from "../../api/lists/instant";
import { Query } from "../../api/lists/query";
import { eventText } from "../../api/live/event-text";
import { LIVE, type LiveSource, type LiveStreams } from "../../api/live/live-streams";
import { operation } from "../../api/openapi/operation";
import { words } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import type { TransactionSql } from "../../db/pool";
import type { AccountId, JobId } from "../../domain/ids";
import { JOB_STATES } from "../../domain/job";
import { presenceOf } from "../../endpoints/presence";
import type { Erasure, Job, MissingReplay, Replay, Task } from "../../jobs/job";
import { type Jobs, LATEST_JOBS, RUNNING_JOBS } from "../../jobs/jobs";
import { MAX_PENDING } from "../../jobs/replay-step";
import type { Clock } from "../../runtime/clock";
import { CreateErasure, CreateReplay, JOB_EXAMPLE, JobModel, JobPage, viewOfJob } from "./job";

export type JobOptions = {
  jobs: Jobs;
  liveStreams: LiveStreams;
  posting: Posting;
  cursors: Cursors;
  clock: Clock;
};

const tag = "Jobs";
const path = { id: { description: "The job's id.", example: JOB_EXAMPLE.id } };
const ONE = { status: 200, description: "The job.", schema: JobModel, example: JOB_EXAMPLE } as const;
const STARTED = { ...ONE, status: 202 } as const;
const AT_MOST = `An account can run ${RUNNING_JOBS.most} jobs at a time; one more gets a 409.`;

/** /jobs, and the routes that start jobs */
export function jobRoutes(guard: Guard, { jobs, liveStreams, posting, cursors, clock }: JobOptions) {
  const begin = (call: Call, request: Request, taskOf: TaskOf) =>
    posting.handle(call, request, () => async (sql) => {
      const { accountId } = call.principal;
      const job = await jobs.create(sql, accountId, await taskOf(sql, accountId), call.hops);
      return { status: 202, json: JSON.stringify(viewOfJob(job)), afterCommit: jobs.onCreated };
    });
  return new Elysia()
    .use(guard)
    .post(
      "/endpoints/:id/replay",
      async ({ call, params, request, body }) => {
        const task = replayIn(body, clock.now());
        return begin(call, request, async (sql, accountId) => {
          const endpointId = idInPath("ep", params.id);
          if ((await presenceOf(sql, accountId, endpointId)) !== "there") throw noSuch("ep");
          return { ...task, endpointId };
        });
      },
      operation({
        id: "replayEndpoint",
        sdk: "jobs.replay",
        permission: "webhooks:retry",
        audit: { shows: ["after", "before", "event", "status"] },
        tag,
        summary: "Replay an endpoint's deliveries",
        description:
          "Starts a job that resends the deliveries of a time range in their order, each like `POST /webhooks/{id}/resend`. It skips " +
          "deliveries that are replays themselves, are pending or erased, or no longer match the endpoint's filter. It decides " +
          "about each delivery once, when it gets to it.\n\n" +
          "With `missing`, it sends the events that the endpoint never got instead: because it was created later, was inactive and skips " +
          "events, or had a filter that excluded them. They come in the order in which they were accepted, each once, behind the endpoint's " +
          "earlier deliveries. Each is a delivery with the `created_at` of its event.\n\n" +
          `The job pauses while ${MAX_PENDING} deliveries are pending for the endpoint, so that new deliveries never queue behind more. It ` +
          "checks again after 0.1 seconds, then less often, up to every ten seconds. The job fails when the month's webhooks are used " +
          `up or the endpoint is deleted. ${AT_MOST}`,
        path: {
          id: { description: "The endpoint's id.", example: JOB_EXAMPLE.scope.endpoint_id, external: "ep" },
        },
        body: { schema: CreateReplay, example: { status: "failed", after: "2026-01-31T00:00:00Z" } },
        success: STARTED,
        errors: [404],
      }),
    )
    .post(
      "/erasures",
      async ({ call, request, body }) => {
        const task = erasureIn(body, clock.now());
        return begin(call, request, async (sql, accountId) => {
          const { endpointId } = task;
          const isUnknown =
            endpointId !== null && (await presenceOf(sql, accountId, endpointId)) === "unknown";
          if (isUnknown) throw unknownEndpoint();
          return task;
        });
      },
      operation({
        id: "erasePayloads",
        sdk: "jobs.erase",
        permission: "webhooks:write",
        audit: { shows: ["after", "before", "event", "endpoint_id"] },
        tag,
        summary: "Erase the payloads of many deliveries",
        description:
          "Starts a job that erases payloads like `DELETE /webhooks/{id}/payload`. Select the deliveries by event type, endpoint " +
          `or time; at least one is required. ${AT_MOST}`,
        body: {
          schema: CreateErasure,
          example: { event: "user.created", before: "2026-01-31T00:00:00Z" },
        },
        success: STARTED,
      }),
    )
    .get(
      "/jobs",
      async ({ call: { principal, allowance }, request }) => {
        const state = new Query(request.url, ["status"]).oneOf("status", JOB_STATES);
        const page = await cursorPage<Job, JobId>(request.url, {
          cursors: cursors.of("jobs", principal.accountId),
          keyOf: ({ id }) => id,
          read: (asked) => jobs.page(principal.accountId, asked, state),
          view: viewOfJob,
        });
        return answer(allowance, 200, page);
      },
      operation({
        id: "listJobs",
        permission: "webhooks:read",
        tag,
        summary: "List jobs",
        description: "Newest first.",
        query: Type.Object({
          ...CURSOR_PARAMETERS,
          status: words("JobStatus", JOB_STATES, { description: "Only jobs in this status." }),
        }),
        success: {
          status: 200,
          description: "A page.",
          schema: JobPage,
          example: { data: [JOB_EXAMPLE], cursor: null },
        },
      }),
    )
    .get(
      "/jobs/tail",
      ({ call, request }) => liveStreams.answer(call, request, changesOf(jobs, call.principal.accountId)),
      operation({
        id: "tailJobs",
        permission: "webhooks:read",
        tag,
        summary: "Follow jobs",
        description: `Begins with the running jobs and the latest ${LATEST_JOBS}, then sends each as it changes. ${LIVE}`,
        success: {
          status: 200,
          description: "Events `job`, each with a job.",
          stream: eventText({ name: "job", json: JSON.stringify(JOB_EXAMPLE) }),
        },
      }),
    )
    .get(
      "/jobs/:id",
      async ({ call: { principal, allowance }, params }) => {
        const job = await jobs.get(principal.accountId, idInPath("job", params.id));
        if (job === null) throw noSuch("job");
        return answer(allowance, 200, viewOfJob(job));
      },
      operation({
        id: "getJob",
        permission: "webhooks:read",
        tag,
        summary: "Get a job",
        path,
        success: ONE,
        errors: [404],
      }),
    )
    .post(
      "/jobs/:id/cancel",
      ({ call, params, request }) =>
        posting.handle(call, request, () => async (sql) => {
          const { accountId, permissions } = call.principal;
          const id = idInPath("job", params.id);
          const job = await jobs.cancel(sql, accountId, id);
          if (job?.kind === "erasure" && !permissions.has("webhooks:write"))
            throw forbidden("Cancelling an erasure needs the permission webhooks:write, as creating it does");
          if (job) return { status: 200, json: JSON.stringify(viewOfJob(job)) };
          const ended = await jobs.find(sql, accountId, id);
          throw ended
            ? conflict(`The job is ${ended.state}: only a running one can be cancelled`)
            : noSuch("job");
        }),
      operation({
        id: "cancelJob",
        permission: "webhooks:retry",
        audit: { shows: [] },
        tag,
        summary: "Cancel a running job",
        description:
          "The job stops, and deliveries that it has already resent or erased stay so. 409 if it is not running. Cancelling an erasure " +
          "also needs `webhooks:write`.",
        path,
        success: { ...ONE, example: { ...JOB_EXAMPLE, status: "cancelled" } },
        errors: [404],
      }),
    );
}

/** Returns the task for an account, within the transaction that creates the job. */
type TaskOf = (sql: TransactionSql, accountId: AccountId) => Promise<Task>;

/** Streams the latest jobs, and then each job whenever it changes. */
export function changesOf(jobs: Jobs, accountId: AccountId): LiveSource {
  let shown = new Map<string, string>();
  return {
    position: undefined,
    next: async () => {
      const views = (await jobs.current(accountId)).map(viewOfJob);
      const now = new Map(views.map((view) => [view.id, JSON.stringify(view)]));
      const changed = [...now].filter(([id, json]) => shown.get(id) !== json);
      shown = now;
      return { text: changed.map(([, json]) => eventText({ name: "job", json })).join(""), more: false };
    },
  };
}

/** Returns the task of POST /endpoints/:id/replay. Throws 400. */
export function replayIn(
  body: Static<typeof CreateReplay>,
  now: number,
): Omit<Replay, "endpointId"> | Omit<MissingReplay, "endpointId"> {
  const { event = null, status = null, missing = false, ...given } = body;
  const range = { event, ...rangeOf(given, now) };
  if (!missing) return { kind: "replay", status, ...range };
  if (status !== null)
    throw badRequest("status and missing can't be given together: a missing delivery has no status");
  return { kind: "missing_replay", status, ...range };
}

/** Returns the task of POST /erasures. Throws 400. */
export function erasureIn(
  { event, endpoint_id, ...range }: Static<typeof CreateErasure>,
  now: number,
): Erasure {
  const isBounded = [event, endpoint_id, range.after, range.before].some((each) => each !== undefined);
  if (!isBounded)
    throw badRequest("event, endpoint_id, after or before is required, to select the payloads to erase");
  const endpointId = endpoint_id === undefined ? null : readEndpointId(endpoint_id);
  return { kind: "erasure", endpointId, event: event ?? null, status: null, ...rangeOf(range, now) };
}

/** Reads the range. It always has an end, so that a job never includes its own deliveries. */
function rangeOf(
  { after, before }: Pick<Static<typeof CreateReplay>, "after" | "before">,
  now: number,
): Pick<Erasure, "createdFrom" | "createdBefore"> {
  const createdFrom = after === undefined ? null : readInstant("after", after);
  const createdBefore = before === undefined ? now : Math.min(readInstant("before", before), now);
  if (createdFrom !== null && createdFrom > createdBefore)
    throw badRequest("after must be earlier than before and not in the future");
  return { createdFrom, createdBefore };
}
