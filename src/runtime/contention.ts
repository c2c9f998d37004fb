import { readFileSync } from "node:fs";
import type { Clock } from "./clock";
import { hasCode } from "./errno";
import { Loop } from "./loop";

/** Nanoseconds that a thread has run so far, and nanoseconds that it had work but no free core. */
export type CoreTimes = { ran: number; waited: number };

/** Linux: the times of the calling thread, "<ran> <waited> <turns>" (Documentation/scheduler/sched-stats.rst). */
export const SCHEDSTAT = "/proc/thread-self/schedstat";
const EVERY_MS = 100;
/** Share of the older times that each look keeps. */
const KEPT = 0.7;
/**
 * High above this share of working time without a core. Measured on two cores: 0.20 to 0.36 if one API accepts alone,
 * one dispatcher delivers alone, or one process does both; about 0.5 with one of each, 0.7 with two of each.
 */
const HIGH = 0.4;
/** High only above this share of all time as well: for a process with little work the first share is chance. */
const LEAST = 0.15;

/** Reads the kernel's counters; null where it has none. */
export function parseSchedstat(text: string): CoreTimes | null {
  const match = /^(\d+) (\d+) /.exec(text);
  return match ? { ran: Number(match[1]), waited: Number(match[2]) } : null;
}

/**
 * Tells whether this thread often has work but no free core. Then overhead takes time from others, and waiting a little
 * loses nothing. Never high where the kernel has no counters.
 */
export class Contention {
  private lately = { ran: 0, waited: 0, passed: 0 };
  private last: (CoreTimes & { at: number }) | null = null;

  get isHigh(): boolean {
    const { ran, waited, passed } = this.lately;
    return waited > HIGH * (ran + waited) && waited > LEAST * passed;
  }

  /** The thread's times at a moment, in monotonic milliseconds. */
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

/** Keeps `contention` up to date, where the kernel has counters (measured: 5 µs a look). */
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
    // Errors such as EMFILE are retried at the next look; null ends the watch.
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}
