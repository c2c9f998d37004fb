/** CPU milliseconds of `fixedWork` on the machine for which the tests' bounds of CPU time were measured. */
const MEASURED_MS = 6;
/** How often the fixed work is done. The first calls are the slowest. */
const CALLS = 8;

/**
 * Returns how much longer this machine takes now for the same work than the one for which bounds were measured; at least 1.
 * A slower machine, or a busy one whose cores share their caches, makes every piece of work longer by about this factor.
 */
export function slowness(): number {
  const least = Math.min(...Array.from({ length: CALLS }, () => cpuMsOf(fixedWork)));
  return Math.max(1, least / MEASURED_MS);
}

/**
 * Returns the CPU milliseconds of a piece of work, as the machine of the bounds would take them. Measures again, up to
 * `measurements` times, while it takes `most` or more: other work of the process makes one measurement longer.
 */
export function leastMs(most: number, work: () => void, measurements = 4): number {
  let least = cpuMsOf(work);
  for (let i = 1; i < measurements && least >= most; i++) {
    Bun.gc(true);
    least = Math.min(least, cpuMsOf(work) / slowness());
  }
  return least;
}

/** Returns the CPU milliseconds of all threads of the process meanwhile. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Works as the measured code does: makes objects, and reads, writes and sorts text. */
function fixedWork(): number {
  const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`name ${i}`, i / 7]));
  const read = JSON.parse(JSON.stringify(names)) as Record<string, number>;
  return Object.keys(read).sort().join().length;
}
