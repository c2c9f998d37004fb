import { plural } from "../shared/format";

/** The work that processes report as waiting, with words for it. */
const QUEUES = [
  ["endpoints_due", "endpoint is due", "endpoints are due"],
  ["attempts_waiting", "attempt waits for a slot", "attempts wait for a slot"],
  ["outcomes_waiting", "outcome waits to be recorded", "outcomes wait to be recorded"],
  ["sends_waiting", "send waits to be stored", "sends wait to be stored"],
] as const;

/** Says what waits in the processes, by their last reports. */
export function queueWords(processes: readonly Readonly<{ figures: Record<string, number> }>[]): string {
  const waiting = QUEUES.flatMap(([name, one, many]) => {
    const sum = processes.reduce((total, { figures }) => total + (figures[name] ?? 0), 0);
    return sum === 0 ? [] : [plural(sum, one, many)];
  });
  return waiting.join(", ") || "Nothing waits in a process.";
}
