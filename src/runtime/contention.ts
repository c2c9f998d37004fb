import { readFileSync } from "node:fs";
import type { Clock } from "./clock";
import { hasCode } from "./errno";
import { Loop } from "./loop";

/** How long a thread has been on a core until now, and how long it had work and none was free; nanoseconds. */
export type CoreTimes = { ran: number; waited: number };

/** Linux: of the thread that asks; "<ran> <waited> <turns>" (Documentation/scheduler/sched-stats.rst). */
export const SCHEDSTAT = "/proc/thread-self/schedstat";
const EVERY_MS = 100;
/** What is left of older times at each look. */
const KEPT = 0.7;
/**
 * High: without a core for more than this share of the time it had work… Measured on two cores: 0.20 to 0.36 where one API
 * accepts alone, one dispatcher delivers alone, or one process does both; about 0.5 with one of each, 0.7 with two of each.
 */
const HIGH = 0.4;
/** …and for more than this share of all time: how a process fares that has little to do is chance. */
const LEAST = 0.15;

/** Reads what the kernel counts; null where it does not say. */
export function parseSchedstat(text: string): CoreTimes | null {
  const match = /^(\d+) (\d+) /.exec(text);
  return match ? { ran: Number(match[1]), waited: Number(match[2]) } : null;
}

/**
 * Whether this thread lacks a core for much of the time in which it has work, since more threads have some than there are
 * cores. Then what is spent on overhead is taken from others, and who waits a little loses nothing. Never high where the
 * kernel does not say.
 */
export class Contention {
  private lately = { ran: 0, waited: 0, passed: 0 };
  private last: (CoreTimes & { at: number }) | null = null;

  get isHigh(): boolean {
    const { ran, waited, passed } = this.lately;
    return waited > HIGH * (ran + waited) && waited > LEAST * passed;
  }

  /** What the thread's times are at a moment, in monotonic milliseconds. */
  note(times: CoreTimes, at: number): void {
    const { last, lately } = this;
    this.last = { ...times, at };
    if (!last) return;
    this.lately = {
      ran: lately.ran * KEPT + times.ran - last.ran,
      waited: lately.waited * KEPT + times.waited - last.waited,
      passed: lately.passed * KEPT + (at - last.at) * 1_000_000,
    };
  }
}

/** Keeps `contention` up to date, where the kernel tells (measured: 5 µs a look). */
export function watchingContention(contention: Pick<Contention, "note">, clock: Clock): Loop {
  const look = async () => {
    const times = readTimes();
    if (!times) return null;
    contention.note(times, clock.monotonic());
    return EVERY_MS;
  };
  return new Loop({ clock, round: look, failed: () => EVERY_MS });
}

function readTimes(): CoreTimes | null {
  try {
    return parseSchedstat(readFileSync(SCHEDSTAT, "utf8"));
  } catch (error) {
    // Thrown, EMFILE is tried again at the next look; null ends the watch.
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}
