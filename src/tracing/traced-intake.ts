import { eventIdFrom } from "../db/sql/event-key";
import { type DeliveryId, type EventId, newId } from "../domain/ids";
import type { FanOutIntake } from "../intake/events/fan-out";
import type { Intake } from "../intake/sends/send";
import type { TraceStore } from "./trace-store";
import type { Traceparent, Tracing } from "./tracing";

type Parts = Readonly<{ tracing: Tracing; store: Pick<TraceStore, "remember"> }>;

/** Records the commits of traced sends, and marks the ids of their deliveries. */
export function tracedSends(intake: Intake, parts: Parts): Intake {
  return {
    accept: (send) => {
      const { traceparent } = send;
      if (!traceparent) return intake.accept(send);
      const deliveryId = newId("wh", send.hops, true);
      return committed(parts, traceparent, deliveryId, () => intake.accept({ ...send, deliveryId }));
    },
  };
}

/** Records the commits of traced events, and marks the ids of their deliveries. */
export function tracedFanOuts(intake: FanOutIntake, parts: Parts): FanOutIntake {
  return {
    accept: (event) => {
      const { traceparent } = event;
      if (!traceparent) return intake.accept(event);
      const eventId = eventIdFrom(newId("wh", event.hops, true));
      return committed(parts, traceparent, eventId, () => intake.accept({ ...event, eventId }));
    },
  };
}

async function committed<Result extends { kind: string }>(
  { tracing, store }: Parts,
  parent: Traceparent,
  id: DeliveryId | EventId,
  accept: () => Promise<Result>,
): Promise<Result> {
  // Runs before the commit, because a dispatcher of this process may get the delivery at once.
  store.remember(id, parent);
  const span = tracing.begin("commit", "internal", parent, {});
  try {
    const result = await accept();
    span?.end({ "hermod.result": result.kind }, null);
    return result;
  } catch (error) {
    span?.end({}, error instanceof Error ? error.name : "Error");
    throw error;
  }
}
