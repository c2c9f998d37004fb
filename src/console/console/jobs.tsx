import type { Endpoint, Job } from "../../client/types";
import { useAction } from "../pages/actions";
import { useEndpoint, useEndpoints } from "../pages/endpoint-data";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, duration, plural } from "../shared/format";
import { linkTo, params, withParams } from "../shared/location";
import type { Look } from "../shared/look";
import { Card, Empty, Facts, Id, Pill, Problem, Skeleton, State, Tabs, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { can } from "./session";
import { Page } from "./shell";

const EVERY_MS = 2_000;

const LOOKS: Readonly<Record<Job["status"], Look>> = {
  running: { icon: "jobs", tone: "accent", word: "Running" },
  completed: { icon: "check", tone: "ok", word: "Completed" },
  cancelled: { icon: "slash", tone: "calm", word: "Cancelled" },
  failed: { icon: "alert", tone: "bad", word: "Failed" },
};

const TABS = [
  ["", "All"],
  ["running", "Running"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const;

/** Most jobs that are listed. An account can't have more running ones. */
const MOST = 100;

/** The newest jobs in a status, or in any. */
function useNewest(status: Job["status"] | "") {
  return useResource(
    keyed("jobs", status),
    async () => {
      const query = { limit: MOST, status: status || undefined };
      const { data, cursor } = await call("get", "/v1/jobs", { query });
      return { jobs: data, hasMore: cursor !== null };
    },
    { every: EVERY_MS },
  );
}

function runningWords(running: number | undefined): string {
  if (running === undefined) return "Jobs";
  return running > 0 ? `${plural(running, "job is", "jobs are")} running` : "No job is running";
}

export function Jobs() {
  const wanted = TABS.find(([status]) => status === params.value.get("status"))?.[0] ?? "";
  const { data, error, reload } = useNewest(wanted);
  // Running jobs are asked for by themselves: they may be older than the newest jobs.
  const running = useNewest("running").data?.jobs.length;
  const shown = data?.jobs ?? [];
  return (
    <Page crumbs={[{ label: "Jobs" }]}>
      <div class="lead">
        <div class="grow">
          <h1>{runningWords(running)}</h1>
          <p>Jobs resend or erase many deliveries in the background. They survive restarts.</p>
        </div>
      </div>
      {error && <Problem error={error} retry={reload} />}
      <Card label="List of jobs">
        <div class="list-head">
          <Tabs
            label="Status"
            tabs={TABS.map(([status, label]) => ({
              label,
              href: withParams({ status: status || null }),
              isCurrent: wanted === status,
            }))}
          />
        </div>
        {!data && !error && <Skeleton rows={5} height={56} />}
        {data && shown.length === 0 && (
          <Empty title={wanted === "" ? "No jobs yet" : "None of these"}>
            <p>Start one from an endpoint: More actions, Replay deliveries.</p>
          </Empty>
        )}
        {shown.length > 0 && <Rows jobs={shown} />}
        {data?.hasMore && <p class="pad dim">These are the newest {MOST}. There are older ones.</p>}
      </Card>
    </Page>
  );
}

function Rows({ jobs }: { jobs: readonly Job[] }) {
  const endpoints = new Map(useEndpoints().data?.map((each) => [each.id, each]));
  const columns: readonly Column<Job>[] = [
    {
      name: "name",
      title: "Job",
      cell: (job) => (
        <span class="two">
          <a class="row-link strong trunc" href={linkTo(`/console/jobs/${job.id}`)}>
            {titleOf(job)}
          </a>
          <small class="trunc">{scopeWords(job, endpoints.get(job.scope.endpoint_id ?? ""))}</small>
        </span>
      ),
    },
    { name: "status", title: "Status", cell: ({ status }) => <State look={LOOKS[status]} /> },
    { name: "progress", title: "Progress", cell: (job) => <Progress job={job} /> },
    { name: "time", title: "Started", isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <Table
      label="Jobs, newest first"
      look="jobs"
      columns={columns}
      items={jobs}
      keyOf={({ id }) => id}
      heights={[56, 92]}
    />
  );
}

function titleOf({ kind, scope }: Job): string {
  if (kind === "erasure") return "Erase payloads";
  if (scope.status === "failed") return "Resend what failed";
  return kind === "resend" ? "Resend deliveries" : "Replay deliveries";
}

function scopeWords({ kind, scope, progress }: Job, endpoint: Endpoint | undefined): string {
  const parts = [
    scope.event ??
      (kind === "resend"
        ? plural(progress.total ?? 0, "chosen delivery", "chosen deliveries")
        : "all events"),
    scope.endpoint_id && `to ${endpoint ? nameOf(endpoint) : "an endpoint"}`,
  ];
  return visible(parts.filter(Boolean).join(" "));
}

function Progress({ job }: { job: Job }) {
  const { done, examined, total } = job.progress;
  const share = job.status === "completed" ? 1 : total === null || total === 0 ? null : examined / total;
  return (
    <span class="progress">
      <progress max={1} value={share ?? undefined} aria-label="Progress" />
      <span class="num">
        {count(done)} done{total !== null && `, ${count(examined)} of ${count(total)} examined`}
      </span>
    </span>
  );
}

export function JobPage({ id }: { id: string }) {
  const { data, error, reload } = useResource(
    keyed("job", id),
    () => call("get", "/v1/jobs/{id}", { path: { id } }),
    { every: EVERY_MS },
  );
  return (
    <Page crumbs={[{ label: "Jobs", href: "/console/jobs" }, { label: data ? titleOf(data) : "Job" }]}>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && <Shown job={data} />}
    </Page>
  );
}

function Shown({ job }: { job: Job }) {
  const endpoint = useEndpoint(job.scope.endpoint_id).data;
  const { scope, progress } = job;
  const took = (job.completed_at ? Date.parse(job.completed_at) : now.value) - Date.parse(job.created_at);
  return (
    <>
      <div class="lead">
        <div class="grow">
          <div class="row wrap">
            <h1>{titleOf(job)}</h1>
            <Pill look={LOOKS[job.status]} />
          </div>
          <div class="row wrap under">
            <Id id={job.id} />
          </div>
        </div>
        {job.status === "running" && can("webhooks:retry") && <Cancel id={job.id} />}
      </div>
      {job.failure && <div class="note bad">{visible(job.failure)}</div>}
      <Card title="Progress" meta={leftWords(job, took)}>
        <div class="pad">
          <Progress job={job} />
        </div>
      </Card>
      <Card title="What it works on">
        <Facts
          facts={[
            [
              "Endpoint",
              scope.endpoint_id && (
                <a class="link" href={linkTo(`/console/endpoints/${scope.endpoint_id}`)}>
                  {visible(endpoint ? nameOf(endpoint) : scope.endpoint_id)}
                </a>
              ),
            ],
            ...rangeFacts(job),
            ["In the range", progress.total === null ? "more than 100,000" : count(progress.total)],
            ["Done", count(progress.done)],
            ["Started", <Time key="s" at={job.created_at} />],
            ["Took", job.completed_at && duration(took)],
          ]}
        />
      </Card>
    </>
  );
}

/** The selection of a job's deliveries. A resend of chosen deliveries has no range. */
function rangeFacts({ kind, scope }: Job): Parameters<typeof Facts>[0]["facts"] {
  if (kind === "resend" && scope.status === null) return [["Deliveries", "chosen one by one"]];
  return [
    ["Events", visible(scope.event ?? "all")],
    ["Outcome", scope.status ?? "delivered and failed"],
    ["From", scope.after ? <Time key="f" at={scope.after} /> : "the oldest kept"],
    ["Until", <Time key="u" at={scope.before} />],
  ];
}

/** Estimates the end by the rate so far. */
function leftWords({ status, progress }: Job, took: number): string {
  const { examined, total } = progress;
  if (status !== "running" || total === null || examined === 0) return "";
  return `about ${duration(Math.max(1_000, ((total - examined) / examined) * took))} left`;
}

function Cancel({ id }: { id: string }) {
  const { run, isBusy } = useAction(async () => {
    await call("post", "/v1/jobs/{id}/cancel", { path: { id } });
    return "The job stops. What it has done stays.";
  });
  return (
    <button type="button" class="btn danger" disabled={isBusy} onClick={() => void run()}>
      Cancel the job
    </button>
  );
}
