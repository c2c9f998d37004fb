import type { TransactionSql } from "../../db/pool";
import type { AccountId, JobId } from "../../domain/ids";
import { presenceOf } from "../../endpoints/presence";
import type { Task } from "../../jobs/job";
import type { Jobs } from "../../jobs/jobs";
import type { Clock } from "../../runtime/clock";
import { answer } from "../answer";
import type { Call } from "../call";
import { conflict, forbidden } from "../errors";
import { idInPath, noSuch, unknownEndpoint } from "../ids";
import { cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import type { LiveStreams } from "../live/live-streams";
import type { Posting } from "../posting";
import { viewOfJob } from "./model";
import { tailOfJobs } from "./tail";
import { readErasure, readReplay } from "./task";

export type JobOptions = {
  jobs: Jobs;
  liveStreams: LiveStreams;
  posting: Posting;
  cursors: Cursors;
  clock: Clock;
};

/** Starts, shows and cancels replays and erasures. */
export class JobHandlers {
  constructor(private readonly options: JobOptions) {}

  async list({ principal, allowance }: Call, request: Request): Promise<Response> {
    const page = await cursorPage(request.url, {
      cursors: this.options.cursors.of<JobId>("jobs", principal.accountId),
      keyOf: ({ id }) => id,
      read: (asked) => this.options.jobs.page(principal.accountId, asked),
      view: viewOfJob,
    });
    return answer(allowance, 200, page);
  }

  tail(call: Call, request: Request): Response {
    return tailOfJobs(this.options, call, request);
  }

  async get({ principal, allowance }: Call, text: string): Promise<Response> {
    const job = await this.options.jobs.get(principal.accountId, idInPath("job", text));
    if (job === null) throw noSuch("job");
    return answer(allowance, 200, viewOfJob(job));
  }

  replay(call: Call, text: string, request: Request): Promise<Response> {
    return this.begin(call, request, () => {
      const task = readReplay(call.body, this.options.clock.now());
      return async (sql, accountId) => {
        const endpointId = idInPath("ep", text);
        if ((await presenceOf(sql, accountId, endpointId)) !== "there") throw noSuch("ep");
        return { ...task, endpointId };
      };
    });
  }

  erase(call: Call, request: Request): Promise<Response> {
    return this.begin(call, request, () => {
      const task = readErasure(call.body, this.options.clock.now());
      return async (sql, accountId) => {
        const { endpointId } = task;
        const isUnknown = endpointId !== null && (await presenceOf(sql, accountId, endpointId)) === "unknown";
        if (isUnknown) throw unknownEndpoint();
        return task;
      };
    });
  }

  cancel(call: Call, text: string, request: Request): Promise<Response> {
    const { jobs, posting } = this.options;
    const { accountId, permissions } = call.principal;
    return posting.handle(call, request, () => async (sql) => {
      const id = idInPath("job", text);
      const job = await jobs.cancel(sql, accountId, id);
      if (job?.kind === "erasure" && !permissions.has("webhooks:write"))
        throw forbidden("Cancelling an erasure needs the permission webhooks:write, as creating it does");
      if (job) return { status: 200, json: JSON.stringify(viewOfJob(job)) };
      const ended = await jobs.find(sql, accountId, id);
      throw ended
        ? conflict(`The job is ${ended.state}: only a running one can be cancelled`)
        : noSuch("job");
    });
  }

  private begin(call: Call, request: Request, read: ReadTask): Promise<Response> {
    const { jobs, posting } = this.options;
    const { accountId } = call.principal;
    return posting.handle(call, request, () => {
      const taskOf = read();
      return async (sql) => {
        const job = await jobs.create(sql, accountId, await taskOf(sql, accountId), call.hops);
        return { status: 202, json: JSON.stringify(viewOfJob(job)), afterCommit: jobs.onCreated };
      };
    });
  }
}

/** Checks a body, and returns the task for an account. */
type ReadTask = () => (sql: TransactionSql, accountId: AccountId) => Promise<Task>;
