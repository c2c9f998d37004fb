import type { SendGuard } from "../../../src/attempt/exchange";
import type { BacklogPage } from "../../../src/dispatch/backlog/backlog";
import { type BatchDeliveries, verdictOnBatch } from "../../../src/dispatch/batch-request";
import type { EndpointView } from "../../../src/dispatch/endpoint";
import type { ActivePage, ReadRequest } from "../../../src/dispatch/lane/page";
import { healthOf, restOf, type Schedule, verdictOf } from "../../../src/dispatch/verdict";
import type { EndpointId } from "../../../src/domain/ids";
import type { Outcome, Recorded } from "../../../src/domain/outcome";
import type { QueueKey } from "../../../src/domain/partition";
import type { PendingDelivery } from "../../../src/domain/pending-delivery";
import type { Budget } from "../../../src/runtime/budget";
import { sleep } from "../../../src/runtime/clock";
import { outcomeWith } from "../outcome";
import type { Host } from "./host";
import type { PostgresLink } from "./postgres-link";
import { type EndpointRow, type QueueTable, usedSteps } from "./queue-table";
import type { Random } from "./random";
import type { Answer, Receiver } from "./receiver";
import type { Timeline } from "./timeline";
import type { Attempt, Witness } from "./witness";

/** A flaw put in on purpose, to see that the simulation finds it. */
export type Flaw =
  | "no compare-and-set"
  | "answers before the commit"
  | "retry recorded as ended"
  | "reads at two moments"
  | "page called complete"
  | "trusts too long"
  | "trusts for ever"
  | "asks too early"
  | "forgets what is in flight"
  | "pauses too late"
  | "counts hurried attempts"
  | "never sweeps";

export type AttemptsAt = {
  host: Host;
  timeline: Timeline;
  random: Random;
  link: PostgresLink;
  table: QueueTable;
  witness: Witness;
  memory: Budget;
  schedule: Schedule;
  attemptTimeoutMs: number;
  /** Returns how long an attempt now waits between the actor's check and its send. */
  waitsToSendMs(): number;
  receiverOf(endpointId: EndpointId): Pick<Receiver, "answer">;
  broken: Flaw | null;
};

/** The receiver's answer. A status of 0 is no answer. */
type Given = { status: number; retryAfterMs?: number | null };

/** The share of attempts that wait before their send, if any do. */
const WAITS_TO_SEND = 0.1;
const RECORD_RETRY_MS = { first: 50, most: 1_000 };
/** The reads in a row that may find the first delivery still waiting. */
const MAX_READS_IN_VAIN = 20;

/** Does an actor's reads, attempts and records over a network that fails. */
export class SimulatedAttempts {
  /** Attempts whose outcome has not been written yet. */
  private readonly open = new Map<Outcome["attempt"], Attempt[]>();
  private running = 0;
  private readonly inVain = new Map<EndpointId, number>();

  constructor(private readonly at: AttemptsAt) {}

  async read({ endpointId }: QueueKey, request: ReadRequest): Promise<BacklogPage> {
    const { host, link, table, memory, broken } = this.at;
    const asked = broken === "forgets what is in flight" ? { ...request, inFlight: [], passed: [] } : request;
    const read = () => link.call(host, () => table.read(endpointId, asked, memory.isFull));
    const early = broken === "reads at two moments" ? await read() : null;
    const answer = await read();
    this.countVain(endpointId, answer);
    if (answer.page.kind !== "active") return answer;
    const { lastSequence } = answer.page;
    if (broken === "page called complete")
      return { ...answer, page: { ...answer.page, scannedTo: lastSequence } };
    if (early?.page.kind !== "active") return answer;
    return { ...answer, page: { ...early.page, lastSequence, scannedTo: lastSequence } };
  }

  /** Sends at once, or after a while in which the actor's check may have become outdated. */
  async attempt(
    delivery: PendingDelivery,
    endpoint: EndpointView,
    queue: QueueKey,
    guard: SendGuard,
    behind: readonly PendingDelivery[],
  ): Promise<Outcome | null> {
    const { host, random, broken } = this.at;
    const waitsToSendMs = this.at.waitsToSendMs();
    const mayStartEarly = broken === "asks too early" && guard.tryStart();
    if (waitsToSendMs > 0 && random.chance(WAITS_TO_SEND)) {
      await sleep(host.clock, random.between(0, waitsToSendMs));
    }
    if (!mayStartEarly && !guard.tryStart() && broken !== "trusts for ever") return null;
    return this.send([delivery, ...behind], endpoint, queue);
  }

  private send(sent: BatchDeliveries, endpoint: EndpointView, queue: QueueKey): Promise<Outcome> {
    const { host, witness, timeline, random } = this.at;
    const attempts = this.begin(sent, endpoint, queue);
    const startedAt = host.clock.now();
    host.beganAttempt();
    this.running += sent.length;
    let isOver = false;
    return new Promise((resolve) => {
      const end = (answer: Given) => {
        if (isOver) return;
        isOver = true;
        for (const each of attempts) witness.ended(each);
        const outcome = this.outcomeOf(sent, endpoint, queue, answer, startedAt);
        this.open.set(outcome.attempt, attempts);
        resolve(outcome);
      };
      const cancel = host.clock.after(this.at.attemptTimeoutMs, () => end({ status: 0 }));
      timeline.after(random.between(0.1, 5), () =>
        this.arrive(attempts, (answer) => {
          cancel();
          end(answer);
        }),
      );
    });
  }

  private begin(sent: BatchDeliveries, { ordering, maxInFlight }: EndpointView, queue: QueueKey): Attempt[] {
    const { host, table, witness } = this.at;
    const row = table.get(queue.endpointId);
    const attempts: Attempt[] = [];
    for (const { sequence, orderingKey, attemptCount: count } of sent) {
      const what = { sequence, orderingKey, count, ordering, maxInFlight };
      attempts.push(witness.began(host, row, what, attempts[0] ?? null));
    }
    return attempts;
  }

  /** Counts the attempts that are being made or written. */
  get underWay(): number {
    return this.running;
  }

  async record(outcome: Outcome): Promise<Recorded> {
    if (this.at.broken === "answers before the commit") {
      this.write(outcome);
      return { applied: true, revision: this.at.table.get(outcome.endpointId).revision };
    }
    return this.write(outcome);
  }

  // Writes outcomes one by one, unlike src/recorder/recorder.ts, which batches them.
  private async write(outcome: Outcome): Promise<Recorded> {
    const { host, link } = this.at;
    for (let wait = RECORD_RETRY_MS.first; ; wait = Math.min(2 * wait, RECORD_RETRY_MS.most)) {
      try {
        const answer = await link.call(host, () => this.apply(outcome));
        const attempt = this.attemptOf(outcome);
        if (attempt) attempt.isAnswered = true;
        this.running--;
        return answer;
      } catch {
        await sleep(host.clock, wait);
      }
    }
  }

  private attemptOf({ attempt, sequence }: Outcome): Attempt | undefined {
    return this.open.get(attempt)?.find((each) => each.sequence === sequence);
  }

  private apply(reported: Outcome): Recorded {
    const { table, witness, broken } = this.at;
    const attempt = this.attemptOf(reported);
    const outcome = broken === "retry recorded as ended" ? this.inTruth(reported) : reported;
    const answer = broken === "no compare-and-set" ? recordBlindly(table, outcome) : table.record(outcome);
    const { endpointId, sequence, verdict } = outcome;
    witness.note(`${endpointId}/${sequence} ${verdict.kind}: ${answer.applied ? "recorded" : "refused"}`);
    if (attempt && answer.applied) {
      attempt.isRecorded = true;
      attempt.restsUntil = table.get(endpointId).restsUntil;
    }
    const endpoint = table.get(endpointId);
    const stops = answer.applied && verdict.kind === "stop";
    if (broken === "pauses too late" && stops) this.pauseLater(endpoint);
    witness.activity(endpoint);
    if (attempt && stops) witness.paused(attempt);
    if (stops) this.checkStop(endpoint, sequence);
    return answer;
  }

  /** Checks that a delivery at which its endpoint stops had its whole schedule, and one attempt for each further stop. */
  private checkStop({ id, queue }: EndpointRow, sequence: number): void {
    const { schedule, witness } = this.at;
    const row = queue.find((each) => each.sequence === sequence);
    const used = row ? usedSteps(row) : 0;
    if (used <= schedule.length)
      witness.violation(`${id}/${sequence} stops after ${used} of ${schedule.length + 1} steps`);
  }

  private pauseLater(endpoint: EndpointRow): void {
    const { table, timeline } = this.at;
    endpoint.isActive = true;
    timeline.after(50, () => table.setActive(endpoint, false));
  }

  private arrive(attempts: readonly Attempt[], onAnswer: (answer: Given) => void): void {
    const { host, timeline, witness, receiverOf } = this.at;
    const [first] = attempts;
    if (!first) throw new Error("a request has a delivery");
    // Of a request that failed the receiver has taken nothing: it continues with the first again.
    witness.arrived(first);
    const answer: Answer = receiverOf(first.endpointId).answer();
    if (answer) timeline.after(answer.afterMs, () => host.deliver(() => onAnswer(answer)));
  }

  private outcomeOf(
    sent: BatchDeliveries,
    endpoint: EndpointView,
    queue: QueueKey,
    { status, retryAfterMs = null }: Given,
    startedAt: number,
  ): Outcome {
    const { host, schedule, random, broken } = this.at;
    const [delivery] = sent;
    const acknowledged = status === 200;
    const answer = { acknowledged, status, error: null, errorDetail: null, retryAfterMs, instruction: null };
    const judged = broken === "counts hurried attempts" ? { ...delivery, isFree: false } : delivery;
    const attempted = { delivery: judged, endpoint, exchange: answer };
    const attempt = { status, startedAt, durationMs: host.clock.now() - startedAt };
    const alone = verdictOf(attempted, schedule, random.next());
    const verdict = sent.length > 1 ? verdictOnBatch(alone) : alone;
    const health = healthOf(attempted, verdict);
    const restMs = restOf(attempted, schedule);
    const { accountId, sequence, event, attemptCount } = delivery;
    const known = { ...queue, accountId, sequence, event, attemptCount };
    const outcome = outcomeWith({ ...known, attempt, verdict, health, restMs });
    if (broken !== "retry recorded as ended" || verdict.kind !== "retry") return outcome;
    return { ...outcome, verdict: { kind: "delivered" } };
  }

  /** The outcome that was recorded as ended, as it should be written. */
  private inTruth(reported: Outcome): Outcome {
    if (reported.attempt.status === 200 || reported.verdict.kind !== "delivered") return reported;
    return { ...reported, verdict: { kind: "retry", afterMs: 500 } };
  }

  private countVain(endpointId: EndpointId, { page }: BacklogPage): void {
    const isVain = page.kind === "active" && page.ordering === "ordered" && isWaiting(page);
    const count = isVain ? (this.inVain.get(endpointId) ?? 0) + 1 : 0;
    this.inVain.set(endpointId, count);
    if (count === MAX_READS_IN_VAIN) this.at.witness.readsInVain(endpointId);
  }
}

function isWaiting({ orders, scanned }: ActivePage): boolean {
  return [...scanned, ...orders.flatMap(({ found }) => found)].some(({ retryInMs }) => retryInMs !== null);
}

function recordBlindly(table: QueueTable, outcome: Outcome): Recorded {
  const endpoint = table.get(outcome.endpointId);
  const row = endpoint.queue.find((each) => each.sequence === outcome.sequence);
  if (row) return table.record({ ...outcome, attemptCount: row.attemptCount });
  return { applied: true, revision: endpoint.revision };
}
