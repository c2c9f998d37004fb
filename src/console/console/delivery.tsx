import { useState } from "preact/hooks";
import type { DeliveryDetail } from "../../client/types";
import { useEndpoint } from "../pages/endpoint-data";
import { Exchange } from "../pages/exchange";
import { type Both, Timeline } from "../pages/timeline";
import { waitingSentence } from "../pages/waiting-sentence";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Card, Facts, Id, Pill, Problem, Skeleton, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { DeliveryActions } from "./delivery-actions";
import { Order } from "./order";
import { Page } from "./shell";
import { attemptsWords, lookOf, pillWord } from "./words";

const ORDER_WORDS = {
  ordered: "one order for the endpoint",
  by_key: "an order for each key",
  unordered: "none",
} as const;

/** Interval between reads of a delivery that has not ended. */
const OPEN_EVERY_MS = 2_000;

export function DeliveryPage({ id }: { id: string }) {
  const [isOver, setOver] = useState(false);
  const { data, error, reload } = useResource(
    keyed("delivery", id),
    async () => {
      const found = await call("get", "/v1/webhooks/{id}", { path: { id } });
      setOver(found.status !== "pending");
      return found;
    },
    isOver ? {} : { every: OPEN_EVERY_MS },
  );
  const endpoint = useEndpoint(data?.endpoint_id ?? null).data;
  const name = endpoint ? nameOf(endpoint) : "Endpoint";
  const number = data && data.sequence !== null ? `#${count(data.sequence)}` : "Delivery";
  return (
    <Page
      crumbs={[
        { label: "Deliveries", href: "/console/deliveries" },
        ...(endpoint ? [{ label: name, href: `/console/endpoints/${endpoint.id}` }] : []),
        { label: number },
      ]}
    >
      {error && <Gone error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && <Shown delivery={data} endpoint={endpoint} />}
    </Page>
  );
}

function Gone({ error, retry }: { error: { status?: number } & Error; retry(): void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
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

function Shown({ delivery, endpoint }: Both) {
  return (
    <>
      <div class="lead">
        <div class="grow">
          <div class="row wrap">
            <h1>{visible(delivery.event ?? "No event type")}</h1>
            <Pill look={lookOf(delivery)}>{pillWord(delivery)}</Pill>
          </div>
          <div class="row wrap under">
            <Id id={delivery.id} />
            {endpoint && (
              <span class="dim">
                {delivery.sequence === null ? "to " : `#${count(delivery.sequence)} of `}
                <a class="link" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
                  {visible(nameOf(endpoint))}
                </a>
              </span>
            )}
          </div>
        </div>
        <DeliveryActions delivery={delivery} endpoint={endpoint} />
      </div>
      {delivery.status === "pending" && <PlaceInOrder delivery={delivery} endpoint={endpoint} />}
      <div class="two-columns">
        <Timeline delivery={delivery} endpoint={endpoint} meta={attemptsWords(delivery, endpoint)} />
        <Exchange delivery={delivery} endpoint={endpoint} />
      </div>
      <About delivery={delivery} endpoint={endpoint} />
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

function withoutNumber({ status, cancel_reason }: DeliveryDetail): string {
  if (status === "pending") return "none before it is due";
  return cancel_reason === "event_filter"
    ? "none: the filter excluded it"
    : "none: it ended before it was due";
}

function About({ delivery, endpoint }: Both) {
  return (
    <Card title="About this delivery">
      <Facts
        facts={[
          ["Accepted", <Time key="a" at={delivery.created_at} />],
          ["Ended", delivery.completed_at && <Time at={delivery.completed_at} />],
          [
            "Took",
            delivery.completed_at &&
              delivery.attempts.length > 0 &&
              duration(Date.parse(delivery.completed_at) - Date.parse(delivery.created_at)),
          ],
          [
            "Number",
            delivery.sequence === null
              ? withoutNumber(delivery)
              : `${count(delivery.sequence)} of the endpoint, without gaps`,
          ],
          [
            "Ordering key",
            delivery.ordering_key ? (
              <code>{visible(delivery.ordering_key)}</code>
            ) : endpoint?.ordering === "by_key" ? (
              "none"
            ) : null,
          ],
          ["Order", endpoint && ORDER_WORDS[endpoint.ordering]],
          [
            "Resends",
            delivery.replay_of && (
              <a class="link mono" href={linkTo(`/console/deliveries/${delivery.replay_of}`)}>
                {delivery.replay_of}
              </a>
            ),
          ],
          [
            "Event",
            delivery.of_event && (
              <a class="link mono" href={linkTo(`/console/events/${delivery.of_event}`)}>
                {delivery.of_event}
              </a>
            ),
          ],
          [
            "Same type",
            delivery.event !== null && (
              <a
                class="link"
                href={linkTo("/console/deliveries", {
                  event: delivery.event,
                  endpoint: delivery.endpoint_id,
                })}
              >
                others to this endpoint
              </a>
            ),
          ],
        ]}
      />
    </Card>
  );
}
