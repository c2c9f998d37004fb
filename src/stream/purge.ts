import type { EndpointId } from "../runtime/ids";
import type { StreamConnection } from "./connection";
import { STREAM, subjectOf } from "./topology";

/**
 * Drops an endpoint's messages from the stream, and with them the payloads they carry. What they told of, the sweep
 * finds in Postgres. Nothing while NATS is away.
 */
export async function purgeMessages(
  connection: StreamConnection,
  partition: number,
  endpointId: EndpointId,
): Promise<void> {
  const manager = await connection.live?.jetstreamManager({ checkAPI: false });
  await manager?.streams.purge(STREAM, { filter: subjectOf(partition, endpointId) });
}
