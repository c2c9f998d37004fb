import type { Endpoint } from "../../client/types";
import { AddEndpoint, NoEndpoints } from "../pages/add-endpoint";
import { useEndpoints } from "../pages/endpoint-data";
import { eventsOf } from "../pages/endpoint-lead";
import { lookOfHealth } from "../pages/states";
import { addressOf, nameOf } from "../shared/endpoint-name";
import { pendingWords } from "../shared/format";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo, params, withParams } from "../shared/location";
import { byTrouble } from "../shared/look";
import { Card, Empty, State, type Tab, Tabs } from "../shared/parts";
import { Sentences } from "../shared/sentence-view";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { attentionWords, healthDetail } from "./endpoint-sentences";
import { SearchField, searchedText } from "./search-field";
import { Page } from "./shell";

const TABS = [
  ["", "All"],
  ["failing", "Failing"],
  ["blocked", "Blocked"],
  ["disabled", "Switched off"],
  ["paused", "Paused"],
  ["healthy", "Healthy"],
] as const;

export function Endpoints() {
  const endpoints = useEndpoints();
  const { data } = endpoints;
  return (
    <Page crumbs={[{ label: "Endpoints" }]}>
      <Lead title={data ? attentionWords(data) : "Endpoints"}>
        <SearchField label="Search endpoints" example="Name, URL, external id, metadata" />
        <AddEndpoint />
      </Lead>
      <Card label="List of endpoints">
        <div class="list-head">
          <HealthTabs endpoints={data} />
        </div>
        <Loaded resource={endpoints} bars={6} height={56}>
          {(data) => <List endpoints={data} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function wantedHealth(): string {
  return params.value.get("health") ?? "";
}

function HealthTabs({ endpoints }: { endpoints: readonly Endpoint[] | null }) {
  const wanted = wantedHealth();
  const tabs = TABS.map(([state, label]) => ({
    label,
    href: withParams({ health: state || null }),
    count: endpoints?.filter(({ health }) => state === "" || health.state === state).length,
    isCurrent: wanted === state,
  }));
  const isShown = ({ label, count, isCurrent }: Tab) => label === "All" || isCurrent || count !== 0;
  return <Tabs label="Health" tabs={tabs.filter(isShown)} />;
}

function searched({ description, url, external_id, id, metadata }: Endpoint): string {
  return [description, url, external_id, id, ...Object.entries(metadata).flat()].join(" ").toLowerCase();
}

function List({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const wanted = wantedHealth();
  const shown = endpoints
    .filter(({ health }) => wanted === "" || health.state === wanted)
    .filter((each) => searched(each).includes(searchedText()))
    .toSorted(byTrouble);
  if (endpoints.length === 0) return <NoEndpoints />;
  return (
    <Table
      label="Endpoints, those with trouble first"
      look="endpoints"
      columns={COLUMNS}
      items={shown}
      nothing={<Empty title="No endpoint matches" />}
      keyOf={({ id }) => id}
      heights={[56, 84]}
    />
  );
}

const ORDER = { ordered: "one order", by_key: "by key", unordered: "unordered" } as const;

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    name: "name",
    title: "Endpoint",
    cell: (endpoint) => (
      <span class="two">
        <a class="row-link strong trunc" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
          {visible(nameOf(endpoint))}
        </a>
        <small class="mono trunc">{visible(addressOf(endpoint))}</small>
      </span>
    ),
  },
  {
    name: "health",
    title: "Health",
    cell: (endpoint) => (
      <span class="two">
        <State look={lookOfHealth(endpoint.health.state)} />
        <small class="trunc">
          <Sentences sentences={[healthDetail(endpoint)]} />
        </small>
      </span>
    ),
  },
  {
    name: "events",
    title: "Events",
    cell: (endpoint) => (
      <span class="mono">{endpoint.feed ? "Hermod's feed" : visible(eventsOf(endpoint).join(", "))}</span>
    ),
  },
  {
    name: "waiting",
    title: "Waiting",
    isRight: true,
    cell: ({ health }) =>
      health.pending > 0 ? <b>{pendingWords(health.pending)}</b> : <span class="faint">0</span>,
  },
  { name: "order", title: "Order", cell: ({ ordering }) => <span class="dim">{ORDER[ordering]}</span> },
];
