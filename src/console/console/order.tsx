import type { DeliveryDetail, Endpoint, WaitingFor } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Rail } from "../shared/rail";
import { useResource } from "../shared/resource";

type OrderProps = { endpoint: Endpoint; delivery?: DeliveryDetail };

/** The order of an endpoint, or of a delivery's key, as a rail. Empty while no delivery waits. */
export function Order({ endpoint, delivery }: OrderProps) {
  const key = endpoint.ordering === "by_key" ? (delivery?.ordering_key ?? null) : null;
  const hasOneOrder = endpoint.ordering === "ordered" || key !== null;
  const { data } = useResource(
    hasOneOrder ? keyed("queue", endpoint.id, key) : null,
    () =>
      call("get", "/v1/endpoints/{id}/queue", {
        path: { id: endpoint.id },
        query: { limit: 100, ordering_key: key ?? undefined },
      }),
    { every: 3_000 },
  );
  const [first, ...behind] = data?.data ?? [];
  if (!first || first.sequence === null) return null;
  const places = behind.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ id, sequence, isMarked: id === delivery?.id }],
  );
  const own = delivery?.sequence ?? null;
  // Shows a delivery behind the end of the list after a gap.
  if (delivery && own !== null && own > (places.at(-1)?.sequence ?? first.sequence))
    places.push({ id: delivery.id, sequence: own, isMarked: true });
  const waiting = first.waiting_for;
  return (
    <Rail
      base="/console"
      behind={places}
      hasMore={data?.cursor !== null}
      isUnbroken={endpoint.ordering === "ordered"}
      first={{
        id: first.id,
        sequence: first.sequence,
        isMarked: first.id === delivery?.id,
        attempts: first.attempt_count,
        until: waiting?.until ?? null,
        since: delivery?.id === first.id ? (delivery.attempts.at(-1)?.timestamp ?? null) : null,
        word: wordOf(waiting),
        isPaused: waiting?.reason === "pause",
      }}
    />
  );
}

function wordOf(waiting: WaitingFor | undefined): string | undefined {
  switch (waiting?.reason) {
    case "pause":
      return "paused";
    case "attempt":
      return "is being sent";
    case "rate_limit":
      return "waits for the rate limit";
    case "max_in_flight":
      return "waits for room";
    case "rest":
      return "receiver rests, attempt";
    default:
      return undefined;
  }
}
