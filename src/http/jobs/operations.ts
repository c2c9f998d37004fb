import { Type } from "@sinclair/typebox";
import { LATEST_JOBS, RUNNING_JOBS } from "../../jobs/jobs";
import { MAX_PENDING } from "../../jobs/replay-step";
import { CURSOR_PARAMETERS } from "../lists/cursor-model";
import { eventText } from "../live/event-text";
import { LIVE } from "../live/live-streams";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { CreateErasure, CreateReplay, JOB_EXAMPLE } from "./model";

const tag = "Jobs";
const AT_MOST = `An account can run ${RUNNING_JOBS.most} jobs at a time; one more gets a 409.`;
const path = { id: { description: "The job's id.", example: JOB_EXAMPLE.id } };
const started = { status: 202, description: "The job.", schema: ref("Job"), example: JOB_EXAMPLE } as const;

export const replay = operation({
  audit: { shows: ["after", "before", "event", "status"] },
  id: "replayEndpoint",
  permission: "webhooks:retry",
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
  path: { id: { description: "The endpoint's id.", example: JOB_EXAMPLE.scope.endpoint_id, external: "ep" } },
  body: { schema: CreateReplay, isRaw: true, example: { status: "failed", after: "2026-01-31T00:00:00Z" } },
  success: started,
  errors: [404],
});

export const erase = operation({
  audit: { shows: ["after", "before", "event", "endpoint_id"] },
  id: "erasePayloads",
  permission: "webhooks:write",
  tag,
  summary: "Erase the payloads of many deliveries",
  description:
    "Starts a job that erases payloads like `DELETE /webhooks/{id}/payload`. Select the deliveries by event type, endpoint " +
    `or time; at least one is required. ${AT_MOST}`,
  body: {
    schema: CreateErasure,
    isRaw: true,
    example: { event: "user.created", before: "2026-01-31T00:00:00Z" },
  },
  success: started,
});

export const list = operation({
  id: "listJobs",
  permission: "webhooks:read",
  tag,
  summary: "List jobs",
  description: "Newest first.",
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("JobPage"),
    example: { data: [JOB_EXAMPLE], cursor: null },
  },
});

export const tail = operation({
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
});

export const get = operation({
  id: "getJob",
  permission: "webhooks:read",
  tag,
  summary: "Get a job",
  path,
  success: { status: 200, description: "The job.", schema: ref("Job"), example: JOB_EXAMPLE },
  errors: [404],
});

export const cancel = operation({
  audit: { shows: [] },
  id: "cancelJob",
  permission: "webhooks:retry",
  tag,
  summary: "Cancel a running job",
  description:
    "The job stops, and deliveries that it has already resent or erased stay so. 409 if it is not running. Cancelling an erasure " +
    "also needs `webhooks:write`.",
  path,
  success: {
    status: 200,
    description: "The job.",
    schema: ref("Job"),
    example: { ...JOB_EXAMPLE, status: "cancelled" },
  },
  errors: [404],
});
