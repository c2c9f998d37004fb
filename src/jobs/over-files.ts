import type { IdSpan } from "../cold/blocks";
import type { Thawing } from "../cold/thawing";
import { leastIdAt, timeOf } from "../domain/ids";
import type { Resend, RunningJob, Task } from "./job";
import type { JobStep } from "./runner";

/** Makes a step read files as well. It brings the next block back to Postgres once everything before it is done. */
export function overFiles<T extends Exclude<Task, Resend>>(
  thawing: Thawing | null,
  step: JobStep<T>,
): JobStep<T> {
  if (thawing === null) return step;
  return async (sql, job) => {
    const block = await thawing.first(sql, job.accountId, aheadOf(job));
    if (block === null) return step(sql, job);
    const createdBefore = Math.min(job.createdBefore, timeOf(block.firstId));
    const progress = await step(sql, Object.assign({}, job, { createdBefore }));
    if (progress.next !== "completed") return progress;
    await thawing.restore(sql, block);
    return { ...progress, next: "on" };
  };
}

/** Makes a step of a resend bring the next block back to Postgres first. The deliveries in further blocks wait for later steps. */
export function resendOverFiles(thawing: Thawing | null, step: JobStep<Resend>): JobStep<Resend> {
  if (thawing === null) return step;
  return async (sql, job) => {
    const inFiles = await thawing.bringFirst(sql, job.accountId, job.remaining);
    const ready = job.remaining.filter((id) => !inFiles.has(id));
    const progress = await step(sql, Object.assign({}, job, { remaining: ready }));
    if (inFiles.size === 0) return progress;
    const left = new Set(progress.remaining ?? ready);
    const remaining = job.remaining.filter((id) => inFiles.has(id) || left.has(id));
    const next = typeof progress.next === "object" ? progress.next : "on";
    return { ...progress, remaining, next };
  };
}

function aheadOf({ position, createdBefore }: RunningJob): IdSpan {
  return { first: position, last: leastIdAt(createdBefore) };
}
