import type { Schedule } from "../../../src/dispatch/verdict";
import type { EndedRow, EndpointRow, QueueTable } from "./queue-table";
import type { SimulatedDispatcher } from "./simulated-dispatcher";
import type { Attempt, Witness } from "./witness";

/** Checks what must hold once everything has ended; the dispatchers only if they have rested for long. */
export function checkEnd(
  table: QueueTable,
  witness: Witness,
  schedule: Schedule,
  rested: readonly SimulatedDispatcher[],
): void {
  for (const endpoint of table.endpoints.values()) {
    const [first] = endpoint.queue;
    if (first) {
      witness.violation(
        `${endpoint.id}: ${endpoint.queue.length} from ${first.sequence} on are never delivered`,
      );
    }
    checkResults(endpoint, witness, schedule);
  }
  if (rested.length === 0 || witness.violations.length > 0) return;
  for (const { host, actors, atHand } of rested) {
    if (!host.isGone && actors > 0) witness.violation(`${host.name} keeps ${actors} actors without work`);
    if (!host.isGone && atHand !== 0) witness.violation(`${host.name} counts ${atHand} as held by nobody`);
  }
}

function checkResults(endpoint: EndpointRow, witness: Witness, schedule: Schedule): void {
  const bySequence = Map.groupBy(witness.attemptsAt(endpoint.id), ({ sequence }) => sequence);
  for (let sequence = 1; sequence <= endpoint.lastSequence; sequence++) {
    const result = endpoint.results.get(sequence);
    const attempts = bySequence.get(sequence) ?? [];
    if (!result) continue;
    checkCounts(endpoint, sequence, result, attempts, witness);
    checkSteps(endpoint, sequence, result, schedule, witness);
  }
}

/** Checks that a failed delivery had its whole schedule, to which hurried attempts add. */
function checkSteps(
  { id }: EndpointRow,
  sequence: number,
  { status, usedSteps, hasSingleAttempt }: EndedRow,
  { length }: Schedule,
  witness: Witness,
): void {
  if (status !== "failed") return;
  const isRight = hasSingleAttempt ? usedSteps <= length + 1 : usedSteps === length + 1;
  if (!isRight) witness.violation(`${id}/${sequence} failed after ${usedSteps} of ${length + 1} steps`);
}

/** Checks that the records equal the attempts, except for attempts of vanished hosts and repeats. */
function checkCounts(
  { id }: EndpointRow,
  sequence: number,
  { status, attemptCount }: EndedRow,
  attempts: readonly Attempt[],
  witness: Witness,
): void {
  const recorded = attempts.filter(({ isRecorded }) => isRecorded);
  const counts = recorded.map(({ count }) => count).sort((a, b) => a - b);
  if (counts.join() !== Array.from({ length: attemptCount }, (_, i) => i).join()) {
    witness.violation(
      `${id}/${sequence}: ${attemptCount} attempts are recorded, ${counts.join()} were applied`,
    );
  }
  if (status !== "cancelled" && attemptCount === 0)
    witness.violation(`${id}/${sequence} ended without an attempt`);
  for (const { isRecorded, count, host } of attempts) {
    const wasRepeated = recorded.some((other) => other.count === count);
    if (!isRecorded && !wasRepeated && !host.hasCrashed && status !== "cancelled") {
      witness.violation(`${id}/${sequence} #${count + 1} of ${host.name} was made and is not recorded`);
    }
  }
}
