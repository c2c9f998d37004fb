import { machineNow } from "../clock";
import { Answers, type LoadReport } from "./answers";
import { type Connection, openConnections } from "./connection";
import type { Requests } from "./requests";

export type ClosedLoopOptions = {
  port: number;
  connections: number;
  requests: Requests;
  /** Milliseconds of load before the measurement. */
  warmUpMs: number;
  /** Measured time. */
  durationMs: number;
  /** The limit of requests. */
  maxRequests?: number;
  /** Called when the warm-up is over. */
  onWarm?: () => void;
};

/** Sends as fast as it is answered: each connection sends its next request after its answer. */
export async function closedLoop(options: ClosedLoopOptions): Promise<LoadReport> {
  const { port, requests, warmUpMs, durationMs, maxRequests = Number.POSITIVE_INFINITY } = options;
  const connections = await openConnections(port, options.connections);
  const warmAt = machineNow() + warmUpMs;
  const until = warmAt + durationMs;
  const answers = new Answers(warmAt);
  const warm = setTimeout(() => options.onWarm?.(), warmUpMs);
  let left = maxRequests;
  const sendOn = (connection: Connection, done: () => void) => {
    const now = machineNow();
    if (now >= until || left-- <= 0) return done();
    connection.send(requests.next(now), (status) => {
      answers.note(status, now);
      if (status === 0) done();
      else sendOn(connection, done);
    });
  };
  await Promise.all(connections.map((each) => new Promise<void>((done) => sendOn(each, done))));
  clearTimeout(warm);
  for (const connection of connections) connection.close();
  return answers.report();
}
