import type { AccountDelivery, AccountEvent } from "../../client/types";
import { type Filters, queryOf, readFilters } from "../pages/delivery-filters";
import { eventName } from "../pages/event-name";
import { EventChoice, OutcomeChoice, TimeChoice } from "../pages/filter-choices";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { plural } from "../shared/format";
import { PAGE, useLiveList } from "../shared/live-list";
import { linkTo, params, withParams } from "../shared/location";
import { Card, Tabs, Time } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import type { Column } from "../shared/table";
import { visible } from "../shared/visible-text";
import { AccountChoice, AccountList, accountColumn } from "./account-list";
import { EndpointsOfAll, HealthChoice } from "./all-endpoints";
import { OverviewOfAll } from "./all-overview";
import { useAccounts } from "./data";
import { ACCEPTED, ANSWER, STATUS, WAITS } from "./delivery-columns";
import { RangeChoice } from "./series";
import { Page } from "./shell";

const TABS = [
  ["", "Overview"],
  ["deliveries", "Deliveries"],
  ["endpoints", "Endpoints"],
  ["events", "Events"],
] as const;

/** What needs attention, and the deliveries, endpoints and events of all accounts, kept current. A row leads to its account. */
export function AllAccounts() {
  const filters = readFilters(params.value);
  const customer = params.value.get("of");
  const tab = params.value.get("tab") ?? "";
  return (
    <Page crumbs={[{ label: "All accounts" }]} actions={tab === "" && <RangeChoice />}>
      <h1 class="sr">All accounts</h1>
      <AllFilters filters={filters} customer={customer} tab={tab} />
      <Card label="List">
        <Kinds tab={tab} />
        {tab === "deliveries" && <DeliveriesOfAll filters={filters} customer={customer} />}
        {tab === "endpoints" && <EndpointsOfAll customer={customer} />}
        {tab === "events" && <EventsOfAll filters={filters} customer={customer} />}
      </Card>
      {tab === "" && <OverviewOfAll customer={customer} />}
    </Page>
  );
}

function Kinds({ tab }: { tab: string }) {
  const tabs = TABS.map(([value, label]) => ({
    label,
    href: withParams({ tab: value || null }),
    isCurrent: tab === value,
  }));
  return (
    <div class="list-head">
      <Tabs label="Kind" tabs={tabs} />
      <span class="end live" title="What is new appears by itself">
        <i />
        Live
      </span>
    </div>
  );
}

type Asked = { filters: Filters; customer: string | null };

function AllFilters({ filters, customer, tab }: Asked & { tab: string }) {
  const ofAccount = (
    <>
      <span>of</span>
      <AccountChoice name="Of account" chosen={customer} />
    </>
  );
  if (tab === "endpoints")
    return (
      <div class="sentence" role="search" aria-label="Filters">
        <span>Endpoints with</span>
        <HealthChoice />
        {ofAccount}
      </div>
    );
  if (tab === "")
    return (
      <div class="sentence" role="search" aria-label="Filters">
        <span>Overview</span>
        {ofAccount}
      </div>
    );
  return (
    <div class="sentence" role="search" aria-label="Filters">
      <EventChoice filters={filters} types={[]} takesText />
      {ofAccount}
      <span>accepted</span>
      <TimeChoice filters={filters} />
      {tab === "deliveries" && (
        <>
          <span>with</span>
          <OutcomeChoice filters={filters} />
        </>
      )}
    </div>
  );
}

function DeliveriesOfAll({ filters, customer }: Asked) {
  const list = useLiveList(JSON.stringify(["deliveries", filters, customer]), (cursor) =>
    call("get", "/v1/admin/deliveries", {
      query: { ...queryOf(filters, serverNow()), account: customer ?? undefined, limit: PAGE, cursor },
    }),
  );
  const columns: readonly Column<AccountDelivery>[] = [
    STATUS,
    {
      name: "event",
      title: "Event",
      cell: ({ id, event, account_id }) => (
        <RowLink href={`/console/deliveries/${id}`} account={account_id} event={event} />
      ),
    },
    accountColumn(useAccounts().data),
    ENDPOINT,
    ANSWER,
    WAITS,
    ACCEPTED,
  ];
  return (
    <AccountList
      list={list}
      label="Deliveries of all accounts, newest first"
      look="everybody"
      columns={columns}
    />
  );
}

const ENDPOINT: Column<AccountDelivery> = {
  name: "endpoint",
  title: "Endpoint",
  cell: ({ endpoint_id: id, endpoint_url: url, endpoint_description: description, account_id: account }) => (
    <a class="trunc above" href={linkTo(`/console/endpoints/${id}`, { account })}>
      {visible(nameOf({ id, url, description }))}
    </a>
  ),
};

function EventsOfAll({ filters, customer }: Asked) {
  const { event_type, after, before } = queryOf(filters, serverNow());
  const list = useLiveList(JSON.stringify(["events", filters, customer]), (cursor) =>
    call("get", "/v1/admin/events", {
      query: { event_type, after, before, account: customer ?? undefined, limit: PAGE, cursor },
    }),
  );
  const columns: readonly Column<AccountEvent>[] = [
    {
      name: "event",
      title: "Event",
      cell: ({ id, event, account_id }) => (
        <RowLink href={`/console/events/${id}`} account={account_id} event={event} />
      ),
    },
    accountColumn(useAccounts().data),
    {
      name: "status",
      title: "Deliveries",
      cell: ({ delivery_count: deliveries }) => plural(deliveries, "delivery", "deliveries"),
    },
    { name: "time", title: "Sent", isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <AccountList list={list} label="Events of all accounts, newest first" look="events" columns={columns} />
  );
}

function RowLink({ href, account, event }: { href: string; account: string; event: string | null }) {
  return (
    <a class="row-link strong trunc" href={linkTo(href, { account })}>
      {eventName(event)}
    </a>
  );
}
