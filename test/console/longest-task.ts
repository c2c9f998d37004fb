import type { Browser } from "playwright-core";

/** An event of the browser's trace. `tdur` is the CPU time of its thread, in microseconds. */
type TraceEvent = Readonly<{
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args?: { name?: string };
}>;

/**
 * Returns the CPU milliseconds of the longest task that kept a page's main thread busy meanwhile. Unlike the browser's own measure
 * of long tasks, other work of the machine does not count.
 */
export async function longestTaskMs(browser: Browser, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(undefined, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline"],
  });
  await work();
  const trace = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(trace) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
  const mains = new Set(traceEvents.filter(isMain).map(threadOf));
  const tasks = traceEvents.filter((each) => /RunTask$/.test(each.name) && mains.has(threadOf(each)));
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
