import { readdir, readFile } from "node:fs/promises";

/** The length of a clock tick in /proc, the same on every Linux. */
const TICK_MS = 10;

type Process = { pid: number; parent: number; ms: number };

/** Returns the CPU milliseconds that processes have used, each with its children. All 0 without /proc. */
export async function cpuTimes(pids: readonly number[]): Promise<number[]> {
  if (process.platform !== "linux") return pids.map(() => 0);
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = (await Promise.all(names.map(readProcess))).filter((each) => each !== null);
  return pids.map((pid) => {
    const own = processes.filter((each) => each.pid === pid || each.parent === pid);
    return own.reduce((sum, each) => sum + each.ms, 0);
  });
}

async function readProcess(name: string): Promise<Process | null> {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
  // Behind the name in brackets, which may hold blanks: state, parent, …, and the times from field 14 on.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 15) return null;
  // Own time in user and kernel mode, then that of children which have ended.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid: Number(name), parent: Number(fields[1]), ms: ticks * TICK_MS };
}
