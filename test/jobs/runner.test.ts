import { expect, test } from "bun:test";
import type { AccountId } from "../../src/domain/ids";
import type { JobProgress, RunningJob } from "../../src/jobs/job";
import { type JobRunner, type JobSteps, waitAfter } from "../../src/jobs/runner";
import type { Client } from "../http/client";
import { useService } from "../http/service";
import { until } from "../support/faults/until";
import { ended, runnersOf } from "./stage";

const service = await useService();

const start = runnersOf(() => service);
const run = (replay: JobSteps["replay"]) => start({ replay });

async function beginMany(client: Client, count: number): Promise<string[]> {
  const { id } = await client.newEndpoint();
  const begin = () => client.expecting(202, client.post(`/endpoints/${id}/replay`, {}));
  return (await Promise.all(Array.from({ length: count }, begin))).map((job) => job.id);
}

function progressOf({ position, examined, done }: RunningJob, next: JobProgress["next"]): JobProgress {
  return { position, examined, done, next, afterCommit: () => {} };
}

test("a job without progress waits ever longer, until it progresses", async () => {
  const [id] = await beginMany(await service.newClient(), 1);
  const waited: number[] = [];
  const outcomes: JobProgress["next"][] = ["stalled", "stalled", "stalled", "on", "stalled", "completed"];
  let lastAt = performance.now();
  run(async (_, job) => {
    const now = performance.now();
    expect(now - lastAt).toBeGreaterThanOrEqual(job.waitedMs - 1);
    lastAt = now;
    waited.push(job.waitedMs);
    return progressOf(job, outcomes[waited.length - 1] ?? "completed");
  });
  await until(() => waited.length === outcomes.length, { what: `the end of ${id}` });
  expect(waited).toEqual([0, 100, 200, 400, 0, 100]);
});

test("it does not wait for ever", () => {
  let ms = 0;
  for (let i = 0; i < 100; i++) ms = waitAfter(ms);
  expect(ms).toBe(10_000);
});

test("a job that waits for longer than the maximum continues, since Postgres' clock was set back", async () => {
  const client = await service.newClient();
  const [id = ""] = await beginMany(client, 1);
  const { db } = service.database;
  await db.run(
    (sql) => sql`
    update jobs set next_step_at = now() + interval '1 hour' where account_id = ${client.accountId}`,
  );
  run(async (_, job) => progressOf(job, "completed"));
  expect(await ended(client, id)).toMatchObject({ status: "completed" });
});

test("accounts' jobs alternate step by step, however many jobs one has", async () => {
  const [busy, quiet] = [await service.newClient(), await service.newClient()];
  await beginMany(busy, 30);
  const [id = ""] = await beginMany(quiet, 1);
  const steps: AccountId[] = [];
  run(async (_, job) => {
    steps.push(job.accountId);
    const isOver = steps.filter((each) => each === quiet.accountId).length === 5;
    return progressOf(job, isOver ? "completed" : "on");
  });
  await ended(quiet, id);
  expect(steps.lastIndexOf(quiet.accountId)).toBeLessThanOrEqual(10);
});

test("no two processes do a step of one job at the same time", async () => {
  const client = await service.newClient();
  const [id = ""] = await beginMany(client, 1);
  let underWay = 0;
  let most = 0;
  const runners: JobRunner[] = [];
  const step: JobSteps["replay"] = async (_, job) => {
    if (job.accountId !== client.accountId) return progressOf(job, "completed");
    most = Math.max(most, ++underWay);
    for (const runner of runners) runner.wake();
    await until(() => underWay > 1, { withinMs: 300 }).catch(() => {});
    underWay--;
    return progressOf(job, "completed");
  };
  runners.push(run(step), run(step));
  await ended(client, id);
  expect(most).toBe(1);
});

test("what follows a step happens once the step has committed", async () => {
  const client = await service.newClient();
  const [id = ""] = await beginMany(client, 1);
  const reported: string[] = [];
  const afterCommit = async () => reported.push((await client.get(`/jobs/${id}`)).body.status);
  run(async (_, job) => {
    const progress = progressOf(job, "completed");
    return job.accountId === client.accountId ? { ...progress, afterCommit } : progress;
  });
  await until(() => reported.length > 0);
  expect(reported).toEqual(["completed"]);
});
