import { slowness } from "./slowness";

/** The CPU time and memory that a piece of work took. */
export type Spent = Readonly<{
  /** Seconds of CPU of all threads. */
  cpuSeconds: number;
  /** The most milliseconds of CPU that the main thread took in a row, while nothing else ran. */
  stallMs: number;
  /** The most bytes of memory above what the process had before. */
  memory: number;
}>;

/** How often the event loop is asked. */
const TICK_MS = 1;

/** Measures CPU time rather than time, so that other processes on the machine do not count. */
export async function spentOn<T>(work: () => Promise<T>): Promise<Spent & { result: T }> {
  Bun.gc(true);
  const rss = process.memoryUsage.rss();
  let most = rss;
  let stallMs = 0;
  let last = threadMs();
  const tick = () => {
    const now = threadMs();
    stallMs = Math.max(stallMs, now - last);
    last = now;
    most = Math.max(most, process.memoryUsage.rss());
  };
  const ticking = setInterval(tick, TICK_MS);
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  tick();
  clearInterval(ticking);
  return { result, cpuSeconds: (user + system) / 1e6, stallMs, memory: most - rss };
}

/** How often work is measured that takes too much. */
const MEASUREMENTS = 3;

/**
 * Measures work again while it takes too much. A machine that is busy with something else makes one measurement longer; work
 * that is too dear is so each time.
 */
export async function spentWithin<T>(
  isEnough: (spent: Spent) => boolean,
  work: () => Promise<T>,
): Promise<Spent & { result: T }> {
  let spent = await spentOn(work);
  for (let i = 1; i < MEASUREMENTS && !isEnough(spent); i++) spent = onMeasuredMachine(await spentOn(work));
  return spent;
}

/** Returns what the work would take on the machine for which bounds were measured. */
function onMeasuredMachine<S extends Spent>(spent: S): S {
  const slower = slowness();
  return { ...spent, cpuSeconds: spent.cpuSeconds / slower, stallMs: spent.stallMs / slower };
}

/** Measures the main thread's stalls, request by request. */
export function watchStalls() {
  let [last, most] = [threadMs(), 0];
  const tick = () => {
    const now = threadMs();
    [last, most] = [now, Math.max(most, now - last)];
  };
  const ticking = setInterval(tick, TICK_MS);
  return {
    /** Forgets what was before. */
    reset() {
      [last, most] = [threadMs(), 0];
    },
    /** The most milliseconds of CPU in a row since the last reset. */
    most() {
      tick();
      return most;
    },
    stop: () => clearInterval(ticking),
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
