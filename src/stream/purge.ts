import type { Clock } from "../runtime/clock";
import { type DeliveryId, type EndpointId, timeOf } from "../runtime/ids";
import type { StreamConnection } from "./connection";
import { MAX_AGE_MS, STREAM, subjectOf } from "./topology";

/** A delivery's message is as old as its identifier, less what it waited to be accepted; milliseconds. */
const MARGIN_MS = 60_000;

/**
 * Drops the messages of endpoints from the stream that may carry the payload of one of these deliveries. Others of the
 * same endpoints go with them: what they told of, the sweep finds in Postgres. Nothing while NATS is away.
 */
export async function purgeMessages(
  connection: StreamConnection,
  clock: Clock,
  partitionOf: (endpointId: EndpointId) => number,
  deliveries: readonly { id: DeliveryId; endpointId: EndpointId }[],
): Promise<void> {
  const since = clock.now() - MAX_AGE_MS - MARGIN_MS;
  const recent = deliveries.filter(({ id }) => timeOf(id) >= since);
  if (recent.length === 0) return;
  const manager = await connection.live?.jetstreamManager({ checkAPI: false });
  for (const endpointId of new Set(recent.map((each) => each.endpointId))) {
    await manager?.streams.purge(STREAM, { filter: subjectOf(partitionOf(endpointId), endpointId) });
  }
}
