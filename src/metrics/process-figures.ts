import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { openFilesLimit } from "../runtime/open-files";
import { VERSION } from "../runtime/version";
import type { Metrics } from "./metrics";

/** Scheduling statistics of the process' main thread, on Linux. */
const SCHEDSTAT = "/proc/self/schedstat";

/** Adds the metrics of every process. Names with `process_` are those of Prometheus' own libraries. */
export function addProcessFigures(metrics: Metrics, role: string): void {
  metrics.info(
    { name: "hermod_build_info", help: "Always 1; the labels name the versions that run." },
    { version: VERSION, bun: Bun.version, role },
  );
  metrics.total(
    { name: "process_cpu_seconds_total", help: "CPU time used, by the user and the system." },
    cpuSeconds,
  );
  metrics.gauge({ name: "process_resident_memory_bytes", help: "Memory in use." }, () =>
    process.memoryUsage.rss(),
  );
  const startedAt = Date.now() / 1_000 - process.uptime();
  metrics.gauge({ name: "process_start_time_seconds", help: "When it began, Unix time." }, () => startedAt);
  // Only if the kernel has this folder.
  metrics.gauge(
    { name: "process_open_fds", help: "Open files and connections." },
    async () => (await readdir("/proc/self/fd")).length,
  );
  const maxFiles = openFilesLimit();
  if (maxFiles !== null)
    metrics.gauge({ name: "process_max_fds", help: "Limit on open files and connections." }, () => maxFiles);
  if (!existsSync(SCHEDSTAT)) return;
  metrics.total(
    {
      name: "hermod_core_wait_seconds_total",
      help: "Time in which the main thread had work and no core was free; on Linux.",
    },
    () => coreWaitSeconds(readFileSync(SCHEDSTAT, "utf8")),
  );
}

/** Reads "<ran> <waited> <turns>", nanoseconds (Documentation/scheduler/sched-stats.rst). */
export function coreWaitSeconds(schedstat: string): number {
  return Number(schedstat.split(" ")[1]) / 1_000_000_000;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
