import { AsyncLocalStorage } from "node:async_hooks";

/** The files that a request has read, and how long this took, ms. */
export type FilesRead = { files: number; ms: number };

const counts = new AsyncLocalStorage<FilesRead>();

/** Runs work, and counts the files that it reads. */
export function countFiles<T>(count: FilesRead, work: () => T): T {
  return counts.run(count, work);
}

/** Counts files for the work that read them. */
export function filesWereRead(files: number, ms: number): void {
  const count = counts.getStore();
  if (count === undefined) return;
  count.files += files;
  count.ms += ms;
}
