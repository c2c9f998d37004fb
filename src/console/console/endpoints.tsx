import type { Endpoint } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { lookOfHealth } from "../pages/states";
import { nameOf } from "../shared/endpoint-name";
import { pendingWords } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo, params, setParams, withParams } from "../shared/location";
import { byTrouble } from "../shared/look";
import { Card, Empty, Problem, Skeleton, State, Tabs } from "../shared/parts";
import { Sentences } from "../shared/sentence-view";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { attentionWords, healthDetail } from "./endpoint-sentences";
import { isNarrow } from "./narrow";
import { can } from "./session";
import { Page } from "./shell";
import { eventsOf } from "./words";

const TABS = [
  ["", "All"],
  ["failing", "Failing"],
  ["blocked", "Blocked"],
  ["disabled", "Switched off"],
  ["paused", "Paused"],
  ["healthy", "Healthy"],
] as const;

export function Endpoints() {
  const { data, error, reload } = useEndpoints();
  const wanted = params.value.get("health") ?? "";
  const text = (params.value.get("q") ?? "").toLowerCase();
  const shown = (data ?? [])
    .filter(({ health }) => wanted === "" || health.state === wanted)
    .filter((each) => text === "" || searched(each).includes(text))
    .toSorted(byTrouble);
  return (
    <Page crumbs={[{ label: "Endpoints" }]}>
      <div class="lead">
        <div class="grow">
          <h1>{data ? attentionWords(data) : "Endpoints"}</h1>
        </div>
        <input
          class="input search-field"
          type="search"
          placeholder="Name, URL, external id, metadata"
          aria-label="Search endpoints"
          value={params.value.get("q") ?? ""}
          onInput={(event) => setParams({ q: event.currentTarget.value })}
        />
        {can("endpoints:write") && (
          <a class="btn pri" href={linkTo("/console/endpoints/new")}>
            <Icon name="plus" />
            New endpoint
          </a>
        )}
      </div>
      {error && <Problem error={error} retry={reload} />}
      <Card label="List of endpoints">
        <div class="list-head">
          <Tabs
            label="Health"
            tabs={TABS.map(([state, label]) => ({
              label,
              href: withParams({ health: state || null }),
              count: data?.filter(({ health }) => state === "" || health.state === state).length,
              isCurrent: wanted === state,
            })).filter(({ label, count, isCurrent }) => label === "All" || isCurrent || count !== 0)}
          />
        </div>
        {!data && !error && <Skeleton rows={6} height={56} />}
        {data && shown.length === 0 && <Nothing isAny={data.length > 0} />}
        {shown.length > 0 && <Rows endpoints={shown} />}
      </Card>
    </Page>
  );
}

function searched({ description, url, external_id, id, metadata }: Endpoint): string {
  return [description, url, external_id, id, ...Object.entries(metadata).flat()].join(" ").toLowerCase();
}

function Nothing({ isAny }: { isAny: boolean }) {
  if (isAny) return <Empty title="No endpoint matches" />;
  return (
    <Empty title="Where should Hermod deliver?">
      <p>An endpoint is the URL of a server that takes webhooks.</p>
      {can("endpoints:write") && (
        <a class="btn pri" href={linkTo("/console/endpoints/new")}>
          New endpoint
        </a>
      )}
    </Empty>
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
        <small class="mono trunc">{visible(endpoint.url)}</small>
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
      <span class="mono">{endpoint.feed ? "Hermod's feed" : visible(eventsOf(endpoint))}</span>
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

function Rows({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <Table
      label="Endpoints, those with trouble first"
      look="endpoints"
      columns={COLUMNS}
      items={endpoints}
      keyOf={({ id }) => id}
      rowHeight={isNarrow.value ? 84 : 56}
    />
  );
}
