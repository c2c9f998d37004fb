import { machineNow } from "../clock";
import { Answers, type LoadReport } from "./answers";
import { type Connection, openConnections } from "./connection";
import type { Requests } from "./requests";

export type OpenLoopOptions = {
  port: number;
  connections: number;
  requests: Requests;
  ratePerSecond: number;
  warmUpMs: number;
  durationMs: number;
  /** Called when the warm-up is over. */
  onWarm?: () => void;
};

/** How long the last requests may take. */
const EMPTY_MS = 30_000;

/**
 * Sends at a fixed rate, whatever the answers. Times count from when a request was due, so that a wait for a connection
 * counts as the sender sees it.
 */
export async function openLoop(options: OpenLoopOptions): Promise<LoadReport> {
  const { port, ratePerSecond, warmUpMs, durationMs } = options;
  const connections = await openConnections(port, options.connections);
  const startAt = machineNow();
  const answers = new Answers(startAt + warmUpMs);
  setTimeout(() => options.onWarm?.(), warmUpMs);
  const line = new Line([...connections], options.requests, answers);
  const count = Math.floor(((warmUpMs + durationMs) * ratePerSecond) / 1_000);
  for (let i = 0; i < count; ) {
    for (; i < count && dueAt(startAt, i, ratePerSecond) <= machineNow(); i++) {
      line.push(dueAt(startAt, i, ratePerSecond));
    }
    await Bun.sleep(1);
  }
  await line.emptied();
  for (const connection of connections) connection.close();
  return answers.report();
}

function dueAt(startAt: number, i: number, ratePerSecond: number): number {
  return startAt + (i * 1_000) / ratePerSecond;
}

/** Due requests, and the free connections. */
class Line {
  private readonly due: number[] = [];
  private underWay = 0;

  constructor(
    private readonly free: Connection[],
    private readonly requests: Requests,
    private readonly answers: Answers,
  ) {}

  push(dueAt: number): void {
    this.due.push(dueAt);
    this.send();
  }

  /** Resolves once all are answered. Rejects if they are not in time. */
  async emptied(): Promise<void> {
    const deadline = machineNow() + EMPTY_MS;
    while (this.due.length > 0 || this.underWay > 0) {
      if (machineNow() > deadline)
        throw new Error(`${this.due.length + this.underWay} requests have no answer`);
      await Bun.sleep(5);
    }
  }

  private send(): void {
    // Uses all connections in turn, since the service closes one that is idle for ten seconds.
    const connection = this.due.length > 0 ? this.free.shift() : undefined;
    if (!connection) return;
    const due = this.due.shift() ?? machineNow();
    this.underWay++;
    connection.send(this.requests.next(due), (status) => {
      this.underWay--;
      this.answers.note(status, due);
      if (status !== 0) this.free.push(connection);
      this.send();
    });
  }
}
