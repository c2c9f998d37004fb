import type { Methods } from "../methods.ts";
import { nullIfAborted } from "../pages.ts";
import { pause } from "../pause.ts";
import type { Job } from "../types.ts";

export type WatchOptions = {
  /** Milliseconds between two requests, 500 by default. */
  intervalMs?: number;
  /** Stops watching. The job continues. */
  signal?: AbortSignal;
};

/** Work on many deliveries in the background. */
export const jobsOf = ({ http, call, send, find, every }: Methods) => ({
  /** Starts a job that sends an endpoint's deliveries again. */
  replay: send("post", "/v1/endpoints/{id}/replay"),
  /** Starts a job that erases payloads, by event type, endpoint and time. */
  erase: send("post", "/v1/erasures"),
  get: call("get", "/v1/jobs/{id}"),
  /** Reads a page, newest first. */
  list: find("/v1/jobs"),
  /** Reads every job, page by page. */
  all: every("/v1/jobs"),
  /** Cancels a job. Its finished work stays. */
  cancel: call("post", "/v1/jobs/{id}/cancel"),
  /** Yields the job's progress until it ends. */
  async *watch(
    id: string,
    { intervalMs = 500, signal }: WatchOptions = {},
  ): AsyncGenerator<Job, void, undefined> {
    while (!signal?.aborted) {
      const reading = http.call("get", "/v1/jobs/{id}", { path: { id } }, { signal });
      const job = await nullIfAborted(reading, signal);
      if (!job) return;
      yield job;
      if (job.status !== "running") return;
      await pause(intervalMs, signal);
    }
  },
});
