/** Returns the CPU time of all threads of the process but this one, in milliseconds. */
export function otherThreadsMs(): number {
  const all = process.cpuUsage();
  const own = process.threadCpuUsage();
  return (all.user + all.system - own.user - own.system) / 1_000;
}
