import type { DeliveryId, EventId } from "../domain/ids";
import type { Traceparent } from "../domain/traceparent";
import type { FanOutIntake } from "../intake/events/fan-out";
import type { Intake } from "../intake/new-delivery";
import type { TraceStore } from "./trace-store";
import type { Tracing } from "./tracing";

type TracedIntakeOptions = Readonly<{ tracing: Tracing; store: Pick<TraceStore, "remember"> }>;

/** Records the commits of traced sends. */
export function tracedSends(intake: Intake, parts: TracedIntakeOptions): Intake {
  return {
    accept: (send) => {
      const { id, traceparent } = send;
      return traceparent ? committed(parts, traceparent, id, () => intake.accept(send)) : intake.accept(send);
    },
  };
}

/** Records the commits of traced events. */
export function tracedFanOuts(intake: FanOutIntake, parts: TracedIntakeOptions): FanOutIntake {
  return {
    accept: (event) => {
      const { id, traceparent } = event;
      return traceparent
        ? committed(parts, traceparent, id, () => intake.accept(event))
        : intake.accept(event);
    },
  };
}

async function committed<Result extends { kind: string }>(
  { tracing, store }: TracedIntakeOptions,
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
