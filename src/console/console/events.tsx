import type { Endpoint } from "../../client/types";
import { rangeOf, readFilters } from "../pages/delivery-filters";
import type { Row } from "../pages/delivery-list";
import { useEndpoints, useEventTypes } from "../pages/endpoint-data";
import { eventName } from "../pages/event-name";
import { EventChoice, TimeChoice } from "../pages/filter-choices";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { nameOf } from "../shared/endpoint-name";
import { plural } from "../shared/format";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo, params } from "../shared/location";
import { isNarrow } from "../shared/narrow";
import { Card, Empty, Facts, Id, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { serverNow } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { ANSWER, STATUS } from "./delivery-columns";
import { Page } from "./shell";
import { countsOf, countsSentence } from "./words";

type Event = Awaited<ReturnType<typeof loadEvents>>["data"][number];

function loadEvents(event: string | null, time: string | null) {
  const { after, before } = rangeOf({ time, after: null, before: null }, serverNow());
  return call("get", "/v1/events", { query: { limit: 100, event_type: event ?? undefined, after, before } });
}

/** The page of events, with and without deliveries. */
export function Events() {
  const filters = readFilters(params.value);
  const types = useEventTypes().data ?? [];
  const events = useResource(
    keyed("events", filters.event, filters.time),
    () => loadEvents(filters.event, filters.time),
    { every: 5_000 },
  );
  return (
    <Page crumbs={[{ label: "Events" }]}>
      <h1 class="sr">Events</h1>
      <div class="sentence" role="search" aria-label="Filters">
        <EventChoice filters={filters} types={types} />
        <span>sent</span>
        <TimeChoice filters={filters} />
      </div>
      <Card label="List of events">
        <Loaded resource={events} bars={10}>
          {(data) => <List {...data} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function List({ data, cursor }: Awaited<ReturnType<typeof loadEvents>>) {
  const nothing = (
    <Empty title="No events here">
      <p>Only what was sent as an event is listed; a webhook to one endpoint is a delivery.</p>
    </Empty>
  );
  return (
    <>
      <Table
        label="Events, newest first"
        look="events"
        columns={COLUMNS}
        items={data}
        keyOf={({ id }) => id}
        nothing={nothing}
      />
      {cursor && <p class="pad meta">The newest 100. A time or an event type finds older ones.</p>}
    </>
  );
}

const COLUMNS: readonly Column<Event>[] = [
  {
    name: "event",
    title: "Event",
    cell: ({ id, event }) => (
      <a class="row-link strong trunc" href={linkTo(`/console/events/${id}`)}>
        {eventName(event)}
      </a>
    ),
  },
  { name: "endpoint", title: "Id", cell: ({ id, event_id }) => <code>{visible(event_id ?? id)}</code> },
  {
    name: "status",
    title: "Deliveries",
    cell: ({ delivery_count: count }) =>
      count === 0 ? (
        <span class="faint">no endpoint wanted it</span>
      ) : (
        plural(count, "delivery", "deliveries")
      ),
  },
  { name: "time", title: "Sent", isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export function EventPage({ id }: { id: string }) {
  const event = useResource(keyed("event", id), () => loadEvent(id), { every: 5_000 });
  const absent = <Empty isPage title="There is no such event in this account" />;
  return (
    <Page crumbs={[{ label: "Events", href: "/console/events" }, { label: event.data?.event ?? "Event" }]}>
      <Loaded resource={event} bars={8} absent={absent}>
        {(data) => <Shown event={data} />}
      </Loaded>
    </Page>
  );
}

type Detail = Awaited<ReturnType<typeof loadEvent>>;

function loadEvent(id: string) {
  return call("get", "/v1/events/{id}", { path: { id } });
}

const REASONS: Readonly<Record<Detail["missed"][number]["reason"], string>> = {
  event_filter: "Its filter does not take this event.",
  filter: "Its payload filter does not take this event.",
  filter_changed: "Its filter did not take this event then; it would now.",
  inactive: "It was paused, and skips what is sent meanwhile.",
  created_later: "It was created later.",
};

type ByEndpoint = ReadonlyMap<string, Endpoint>;

function Shown({ event }: { event: Detail }) {
  const endpoints = new Map(useEndpoints().data?.map((each) => [each.id, each]));
  const under = (
    <>
      <Id id={event.id} />
      {event.event_id && <Id id={event.event_id} />}
    </>
  );
  return (
    <>
      <Lead title={eventName(event.event)} under={under} />
      <Takers event={event} endpoints={endpoints} />
      {event.missed.length > 0 && <Missed missed={event.missed} endpoints={endpoints} />}
      <Payload event={event} />
      <Card title="About this event">
        <Facts
          facts={[
            ["Sent", <Time key="s" at={event.created_at} />],
            ["Ordering key", event.ordering_key ? <code>{visible(event.ordering_key)}</code> : null],
            ["Erased", event.erased_at && <Time at={event.erased_at} />],
          ]}
        />
      </Card>
    </>
  );
}

function Takers({ event, endpoints }: { event: Detail; endpoints: ByEndpoint }) {
  const { deliveries, deliveries_cursor: cursor, delivery_count: all } = event;
  const words = deliveries.length === 0 ? "No endpoint wanted it." : countsSentence(countsOf(deliveries));
  return (
    <Card title="Who got it" meta={words}>
      {deliveries.length > 0 && (
        <Table
          label="Deliveries of the event"
          look="recent takers"
          columns={takersOf(endpoints)}
          items={deliveries}
          keyOf={({ id }) => id}
        />
      )}
      {cursor && <p class="pad meta">The first 100 of {all}.</p>}
    </Card>
  );
}

function Missed({ missed, endpoints }: Pick<Detail, "missed"> & { endpoints: ByEndpoint }) {
  return (
    <Card title="Who did not, and why" meta={plural(missed.length, "endpoint", "endpoints")}>
      <ul class="fields">
        {missed.map(({ endpoint_id, reason, error }) => (
          <li key={endpoint_id}>
            <a class="link" href={linkTo(`/console/endpoints/${endpoint_id}`)}>
              {visible(nameIn(endpoints, endpoint_id))}
            </a>
            <span class="dim">
              {error ? `Its payload filter failed: ${visible(error)}` : REASONS[reason]}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Payload({ event: { data, erased_at } }: { event: Detail }) {
  if (data !== null)
    return (
      <Card label="Payload">
        <Code label="Payload" text={prettyJson(data)} isJson />
      </Card>
    );
  return (
    <Card label="Payload">
      <p class="pad dim">{erased_at ? "The payload was erased." : "The payload is null."}</p>
    </Card>
  );
}

function nameIn(endpoints: ByEndpoint, id: string): string {
  const endpoint = endpoints.get(id);
  return endpoint ? nameOf(endpoint) : id;
}

function takersOf(endpoints: ByEndpoint): readonly Column<Row>[] {
  return [
    STATUS,
    {
      name: "event",
      title: "Endpoint",
      cell: ({ id, endpoint_id }) => (
        <a class="row-link strong trunc" href={linkTo(`/console/deliveries/${id}`)}>
          {visible(nameIn(endpoints, endpoint_id))}
        </a>
      ),
    },
    ANSWER,
    {
      name: "time",
      title: "Attempts",
      isRight: true,
      cell: ({ attempt_count: attempts }) =>
        isNarrow.value ? plural(attempts, "attempt", "attempts") : attempts,
    },
  ];
}
