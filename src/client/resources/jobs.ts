import { itemsOf, nullIfAborted } from "../pages.ts";
import { pause } from "../pause.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type { CursorQuery, Erasure, Job, JobPage, Replay } from "../types.ts";

export type WatchOptions = {
  /** Milliseconds between two requests, 500 by default. */
  intervalMs?: number;
  /** Stops watching. The job continues. */
  signal?: AbortSignal;
};

export class Jobs {
  constructor(private readonly http: Transport) {}

  /** Starts a job that sends an endpoint's deliveries again. */
  replay(endpointId: string, replay: Replay = {}, options?: PostOptions): Promise<Job> {
    const input = { path: { id: endpointId }, body: replay };
    return this.http.call("post", "/v1/endpoints/{id}/replay", input, options);
  }

  /** Starts a job that erases payloads, by event type, endpoint and time. */
  erase(erasure: Erasure, options?: PostOptions): Promise<Job> {
    return this.http.call("post", "/v1/erasures", { body: erasure }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Job> {
    return this.http.call("get", "/v1/jobs/{id}", { path: { id } }, options);
  }

  /** Reads a page, newest first. */
  list(query: CursorQuery = {}, options?: RequestOptions): Promise<JobPage> {
    return this.http.call("get", "/v1/jobs", { query }, options);
  }

  /** Reads every job, page by page. */
  all(options?: RequestOptions): AsyncGenerator<Job, void, undefined> {
    return itemsOf((cursor) => this.list({ limit: 100, cursor }, options));
  }

  /** Cancels a job. Its finished work stays. */
  cancel(id: string, options?: PostOptions): Promise<Job> {
    return this.http.call("post", "/v1/jobs/{id}/cancel", { path: { id } }, options);
  }

  /** Yields the job's progress until it ends. */
  async *watch(
    id: string,
    { intervalMs = 500, signal }: WatchOptions = {},
  ): AsyncGenerator<Job, void, undefined> {
    while (!signal?.aborted) {
      const job = await nullIfAborted(this.get(id, { signal }), signal);
      if (!job) return;
      yield job;
      if (job.status !== "running") return;
      await pause(intervalMs, signal);
    }
  }
}
