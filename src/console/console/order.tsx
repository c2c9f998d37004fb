import type {
  DeliveryDetail,
  Endpoint,
  ListedDelivery,
  StuckOrders as StuckOrderList,
} from "../../client/types";
import { RetryHead } from "../pages/actions";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Card } from "../shared/parts";
import { Rail } from "../shared/rail";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { WAIT_LOOKS } from "../shared/waiting-words";
import { stuckOrderWords } from "./words";

type StuckOrderFacts = StuckOrderList["data"][number];
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
  if (!first) return null;
  return (
    <OrderRail
      first={first}
      behind={behind}
      hasMore={data?.cursor !== null}
      isUnbroken={endpoint.ordering === "ordered"}
      marked={delivery ?? null}
    />
  );
}

type OrderRailProps = {
  first: ListedDelivery;
  behind: readonly ListedDelivery[];
  hasMore: boolean;
  isUnbroken: boolean;
  /** The delivery whose place is shown. */
  marked: DeliveryDetail | null;
};

function OrderRail({ first, behind, hasMore, isUnbroken, marked }: OrderRailProps) {
  if (first.sequence === null) return null;
  const places = behind.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ id, sequence, isMarked: id === marked?.id }],
  );
  const own = marked?.sequence ?? null;
  // Shows a delivery behind the end of the list after a gap.
  if (marked && own !== null && own > (places.at(-1)?.sequence ?? first.sequence))
    places.push({ id: marked.id, sequence: own, isMarked: true });
  const waiting = first.waiting_for;
  return (
    <Rail
      base="/console"
      behind={places}
      hasMore={hasMore}
      isUnbroken={isUnbroken}
      first={{
        id: first.id,
        sequence: first.sequence,
        isMarked: first.id === marked?.id,
        attempts: first.attempt_count,
        until: waiting?.until ?? null,
        since: marked?.id === first.id ? (marked.attempts.at(-1)?.timestamp ?? null) : null,
        word: waiting && WAIT_LOOKS[waiting.reason]?.atHead,
        isPaused: waiting?.reason === "pause",
      }}
    />
  );
}

/** Most orders that are shown. */
const MOST_STUCK = 10;
/** Deliveries behind the first one that a rail has room for. */
const NEXT = 30;

/** A card for each ordering key whose first delivery is retried. */
export function StuckOrders({ endpoint }: { endpoint: Endpoint }) {
  const { data } = useResource(
    keyed("queue", "stuck", endpoint.id),
    () =>
      call("get", "/v1/endpoints/{id}/stuck-orders", {
        path: { id: endpoint.id },
        query: { limit: MOST_STUCK },
      }),
    { every: 3_000 },
  );
  return (
    <>
      {data?.data.map((order) => (
        <StuckOrder key={order.head.id} endpoint={endpoint} order={order} isComplete={data.complete} />
      ))}
    </>
  );
}

type StuckOrderProps = { endpoint: Endpoint; order: StuckOrderFacts; isComplete: boolean };

function StuckOrder({ endpoint, order, isComplete }: StuckOrderProps) {
  const { ordering_key: key, pending, head } = order;
  const { data } = useResource(
    key === null ? null : keyed("queue", endpoint.id, key, NEXT),
    () =>
      call("get", "/v1/endpoints/{id}/queue", {
        path: { id: endpoint.id },
        query: { limit: NEXT, ordering_key: key ?? undefined },
      }),
    { every: 3_000 },
  );
  const title = key === null ? "Deliveries without a key" : `Key ${visible(key)}`;
  const behind = data?.data.filter(({ id }) => id !== head.id) ?? [];
  return (
    <Card
      title={title}
      label={title}
      meta={stuckOrderWords(order, isComplete)}
      actions={<RetryHead head={head} />}
      class="order"
    >
      <OrderRail
        first={head}
        behind={behind}
        hasMore={pending > behind.length + 1}
        isUnbroken={false}
        marked={null}
      />
    </Card>
  );
}
