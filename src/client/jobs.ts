import { pause } from "./pause.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";

/** Work on many deliveries that goes on by itself. */
export type Job = {
  id: string;
  kind: "replay" | "erasure";
  status: "running" | "completed" | "cancelled" | "failed";
  /** `total` is null when it is too much to count; `done` were sent again, or erased. */
  progress: { total: number | null; looked_at: number; done: number };
  /** Why it failed. */
  failure: string | null;
  created_at: string;
  completed_at: string | null;
};

/** Which of an endpoint's deliveries are sent again; what was delivered or failed unless `status` is given. */
export type Replay = {
  after?: string;
  before?: string;
  status?: "delivered" | "failed" | "cancelled";
  event?: string;
};

export type WatchOptions = {
  /** Between two looks, milliseconds; 500 unless given. */
  intervalMs?: number;
  /** Ends the watching; the job goes on. */
  signal?: AbortSignal;
};

export class Jobs {
  constructor(private readonly http: Transport) {}

  /** Begins to send an endpoint's deliveries again. */
  async replay(endpointId: string, replay: Replay = {}, options?: PostOptions): Promise<Job> {
    const input = { path: { id: endpointId }, body: replay };
    return (await this.http.ask("post", "/v1/endpoints/{id}/replay", input, options)) as Job;
  }

  async get(id: string, options?: RequestOptions): Promise<Job> {
    return (await this.http.ask("get", "/v1/jobs/{id}", { path: { id } }, options)) as Job;
  }

  /** What it has done stays. */
  async cancel(id: string, options?: PostOptions): Promise<Job> {
    return (await this.http.ask("post", "/v1/jobs/{id}/cancel", { path: { id } }, options)) as Job;
  }

  /** The job as it goes on, up to its end. */
  async *watch(
    id: string,
    { intervalMs = 500, signal }: WatchOptions = {},
  ): AsyncGenerator<Job, void, undefined> {
    while (!signal?.aborted) {
      const job = await this.get(id);
      yield job;
      if (job.status !== "running") return;
      await pause(intervalMs, signal);
    }
  }
}
