import type { DeliveryDetail, Endpoint } from "../../client/types";
import { DeliveryHead, useDelivery } from "../pages/delivery";
import { Exchange } from "../pages/exchange";
import { type Both, Timeline } from "../pages/timeline";
import { waitingSentence } from "../pages/waiting-sentence";
import { nameOf } from "../shared/endpoint-name";
import { count, duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { Loaded } from "../shared/loaded";
import { linkTo } from "../shared/location";
import { Card, Facts, type NamedValue, Pill, Time } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { DeliveryActions } from "./delivery-actions";
import { DeliveryPast } from "./happened";
import { Order } from "./order";
import { Page } from "./shell";
import { attemptsWords, lookOf, pillWord } from "./words";

const ORDER_WORDS = {
  ordered: "one order for the endpoint",
  by_key: "an order for each key",
  unordered: "none",
} as const;

export function DeliveryPage({ id }: { id: string }) {
  const delivery = useDelivery(id);
  const { data, endpoint } = delivery;
  const number = data && data.sequence !== null ? `#${count(data.sequence)}` : "Delivery";
  return (
    <Page
      crumbs={[
        { label: "Deliveries", href: "/console/deliveries" },
        ...(endpoint ? [{ label: nameOf(endpoint), href: `/console/endpoints/${endpoint.id}` }] : []),
        { label: number },
      ]}
    >
      <Loaded resource={delivery} bars={10} absent={<Gone />}>
        {(data) => <Shown delivery={data} endpoint={endpoint} />}
      </Loaded>
    </Page>
  );
}

function Gone() {
  return (
    <div class="note">
      <Icon name="info" />
      <p>
        There is no such delivery in this account. Deliveries that have ended are kept for a limited time, 30
        days unless the service is set up otherwise.
      </p>
    </div>
  );
}

function Shown(both: Both) {
  const { delivery, endpoint } = both;
  const state = <Pill look={lookOf(delivery)}>{pillWord(delivery)}</Pill>;
  return (
    <>
      <DeliveryHead {...both} state={state}>
        <DeliveryActions {...both} />
      </DeliveryHead>
      {delivery.status === "pending" && <PlaceInOrder {...both} />}
      <div class="two-columns">
        <Timeline {...both} meta={attemptsWords(delivery, endpoint)} />
        <Exchange {...both} />
      </div>
      <DeliveryPast delivery={delivery} />
      <About {...both} />
    </>
  );
}

function PlaceInOrder({ delivery, endpoint }: Both) {
  const isUnordered = endpoint?.ordering === "unordered";
  return (
    <Card
      title={isUnordered ? "Why it waits" : "Place in the order"}
      meta={waitingSentence(delivery, endpoint)}
      class="order"
    >
      {endpoint && !isUnordered && <Order endpoint={endpoint} delivery={delivery} />}
    </Card>
  );
}

function About({ delivery, endpoint }: Both) {
  return (
    <Card title="About this delivery">
      <Facts
        facts={[...timesOf(delivery), ...placeIn(delivery, endpoint?.ordering ?? null), ...kinOf(delivery)]}
      />
    </Card>
  );
}

function timesOf({ created_at, completed_at: ended, attempts }: DeliveryDetail): readonly NamedValue[] {
  const wasTried = ended !== null && attempts.length > 0;
  return [
    ["Accepted", <Time key="a" at={created_at} />],
    ["Ended", ended && <Time at={ended} />],
    ["Took", wasTried && duration(Date.parse(ended) - Date.parse(created_at))],
  ];
}

function placeIn(delivery: DeliveryDetail, ordering: Endpoint["ordering"] | null): readonly NamedValue[] {
  const { sequence, ordering_key: key } = delivery;
  return [
    [
      "Number",
      sequence === null ? withoutNumber(delivery) : `${count(sequence)} of the endpoint, without gaps`,
    ],
    ["Ordering key", key ? <code>{visible(key)}</code> : ordering === "by_key" && "none"],
    ["Order", ordering && ORDER_WORDS[ordering]],
  ];
}

function withoutNumber({ status, cancel_reason }: DeliveryDetail): string {
  if (status === "pending") return "none before it is due";
  return cancel_reason === "event_filter"
    ? "none: the filter excluded it"
    : "none: it ended before it was due";
}

/** Links to the delivery that it repeats, to its event, and to others like it. */
function kinOf({ replay_of, of_event, event, endpoint_id: endpoint }: DeliveryDetail): readonly NamedValue[] {
  return [
    ["Resends", replay_of && <IdLink path={`/console/deliveries/${replay_of}`} id={replay_of} />],
    ["Event", of_event && <IdLink path={`/console/events/${of_event}`} id={of_event} />],
    [
      "Same type",
      event !== null && (
        <a class="link" href={linkTo("/console/deliveries", { event, endpoint })}>
          others to this endpoint
        </a>
      ),
    ],
  ];
}

function IdLink({ path, id }: { path: string; id: string }) {
  return (
    <a class="link mono" href={linkTo(path)}>
      {id}
    </a>
  );
}
