import { connect, type NatsConnection } from "nats";
import { createLog } from "../../src/runtime/log";
import { natsOptions, StreamConnection } from "../../src/stream/connection";
import { atEnd } from "./at-end";

/** Connects a plain client, until the tests of the file end. */
export async function natsClient(url: string): Promise<NatsConnection> {
  const nats = await connect(natsOptions(url, null));
  atEnd(() => nats.close());
  return nats;
}

/** Connects as the service does, until the tests of the file end. */
export async function streamConnection(url: string): Promise<StreamConnection> {
  const connection = new StreamConnection(url, createLog("silent"));
  atEnd(() => connection.close());
  await connection.ready;
  return connection;
}
