import { afterEach } from "bun:test";
import { RulesThreads } from "../../src/event-types/rules-threads";
import { Replays } from "../../src/intake/replays/replays";
import { chooseShards } from "../../src/intake/usage";
import { erasureStep } from "../../src/jobs/erasure-step";
import { missingReplayStep, replayStep } from "../../src/jobs/replay-step";
import { resendStep } from "../../src/jobs/resend-step";
import { JobRunner, type JobSteps } from "../../src/jobs/runner";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import type { Client, Json } from "../http/client";
import type { TestService } from "../http/service";
import { until } from "../support/faults/until";

const replays = new Replays({ clock: systemClock, shard: chooseShards(0).replays, onAccepted: () => {} });

const rules = new RulesThreads(createLog("silent"));

/** The steps as the service takes them. */
export const realSteps: JobSteps = {
  replay: (sql, job) => replayStep(sql, job, replays),
  missing_replay: (sql, job) => missingReplayStep(sql, job, replays, rules),
  resend: (sql, job) => resendStep(sql, job, replays),
  erasure: (sql, job) => erasureStep(sql, job, () => {}),
};

/** A process that works on jobs. */
export function startRunner(service: TestService, steps: Partial<JobSteps> = {}): JobRunner {
  const { db } = service.database;
  const log = createLog("silent");
  const runner = new JobRunner({ db, clock: systemClock, log, steps: { ...realSteps, ...steps } });
  runner.start();
  return runner;
}

/** Starts processes that work on jobs, and stops them after each test. */
export function runnersOf(service: () => TestService): (steps?: Partial<JobSteps>) => JobRunner {
  const runners: JobRunner[] = [];
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  });
  return (steps) => {
    const runner = startRunner(service(), steps);
    runners.push(runner);
    return runner;
  };
}

/** Ends everything that is pending for an account, as if it had been delivered; answers how much there was. */
export async function deliverPending(
  service: TestService,
  { accountId }: Client,
  status = "delivered",
): Promise<number> {
  const rows = await service.database.db.run(
    (sql) => sql`
      with gone as (delete from queue where account_id = ${accountId} returning delivery_id, account_id, endpoint_id),
      counted as (
        insert into counter_deltas (account_id, event, ${sql(status)})
        select account_id, coalesce(event, ''), 1 from gone join deliveries d using (account_id) where d.id = delivery_id
      )
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at)
      select delivery_id, account_id, endpoint_id, ${status}::delivery_status, 1, 200, now() from gone
      returning 1`,
  );
  return rows.length;
}

/** Sends in batches; answers the deliveries' ids, in order. */
export async function sendMany(
  client: Client,
  endpointId: string,
  count: number,
  event = "a.b",
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1_000) {
    const webhooks = Array.from({ length: Math.min(1_000, count - at) }, (_, i) => ({
      endpoint_id: endpointId,
      event,
      data: { n: at + i },
    }));
    const { results } = await client.expecting(200, client.post("/webhooks/batch", { webhooks }));
    ids.push(...results.map(({ webhook }: Json) => webhook.id));
  }
  return ids;
}

/** Resolves with the job once it is not running any more. */
export function ended(client: Client, id: string): Promise<Json> {
  const ask = async () => {
    const { body } = await client.get(`/jobs/${id}`);
    return body.status !== "running" && body;
  };
  return until(ask, { what: "the end of a job" });
}
