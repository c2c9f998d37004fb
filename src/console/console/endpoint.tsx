import { useState } from "preact/hooks";
import type { Endpoint, EndpointStats } from "../../client/types";
import { PauseEndpoint, RetryEndpoint } from "../pages/actions";
import { readFilters } from "../pages/delivery-filters";
import { EditEndpoint } from "../pages/edit-endpoint";
import { useEndpoint } from "../pages/endpoint-data";
import { EndpointLead, eventsOf } from "../pages/endpoint-lead";
import { EndpointMenu } from "../pages/endpoint-menu";
import { lookOfHealth } from "../pages/states";
import { TestEvent } from "../pages/test-event";
import { can, keyed } from "../shared/access";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, duration, pendingWords, plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { Loaded } from "../shared/loaded";
import { linkTo, params, withParams } from "../shared/location";
import { Card, EditButton, Facts, Tabs, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { Sentences } from "../shared/sentence-view";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { SECTIONS } from "./endpoint-sections";
import { filterSentences, healthSentences } from "./endpoint-sentences";
import { Figure } from "./figure";
import { EndpointPast } from "./happened";
import { HealthCard } from "./health-card";
import { Order, StuckOrders } from "./order";
import { RecentDeliveries } from "./recent-deliveries";
import { Replay } from "./replay";
import { ResendFailed } from "./resend";
import { AnswersChart, AttemptsFigure, BacklogChart, RangeChoice, TimesChart, useSeries } from "./series";
import { settingFacts } from "./setting-texts";
import { Page } from "./shell";

export function EndpointPage({ id }: { id: string }) {
  const endpoint = useEndpoint(id);
  const { data, reload } = endpoint;
  return (
    <Page
      crumbs={[
        { label: "Endpoints", href: "/console/endpoints" },
        { label: data ? nameOf(data) : "Endpoint" },
      ]}
      actions={<RangeChoice />}
    >
      <Loaded resource={endpoint} bars={10}>
        {(data) => <Shown endpoint={data} reload={reload} />}
      </Loaded>
    </Page>
  );
}

function Shown({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  return (
    <>
      <Head endpoint={endpoint} reload={reload} />
      <Health endpoint={endpoint} />
      <HealthCard endpoint={endpoint} />
      <Figures endpoint={endpoint} />
      <OrderCard endpoint={endpoint} />
      <Charts endpoint={endpoint} />
      <div class="main-and-side">
        <Deliveries endpoint={endpoint} />
        <SettingsCard endpoint={endpoint} reload={reload} />
      </div>
      <EndpointPast endpoint={endpoint} />
    </>
  );
}

function Head({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const [isReplaying, setReplaying] = useState(false);
  const items = can("retry") ? [{ label: "Replay deliveries", act: () => setReplaying(true) }] : [];
  return (
    <EndpointLead endpoint={endpoint}>
      <TestEvent endpoint={endpoint} />
      {endpoint.is_active && <PauseEndpoint endpoint={endpoint} />}
      <RetryEndpoint endpoint={endpoint} />
      <EndpointMenu endpoint={endpoint} sections={SECTIONS} items={items} onDone={reload} />
      {isReplaying && <Replay endpoint={endpoint} onClose={() => setReplaying(false)} />}
    </EndpointLead>
  );
}

/** The problem of the endpoint, since when, and Hermod's reaction. Empty if all is well. */
function Health({ endpoint }: { endpoint: Endpoint }) {
  const { state } = endpoint.health;
  const sentences = [...healthSentences(endpoint), ...filterSentences(endpoint)];
  if (sentences.length === 0) return null;
  const shown = state === "healthy" ? "failing" : state;
  const tone = shown === "paused" ? "" : shown === "failing" ? "warn" : "bad";
  return (
    <div class={`note ${tone}`}>
      <Icon name={lookOfHealth(shown).icon} />
      <p>
        <Sentences sentences={sentences} />
      </p>
    </div>
  );
}

function Figures({ endpoint }: { endpoint: Endpoint }) {
  const { data } = useResource(
    can("view") ? keyed("endpoint-stats", endpoint.id) : null,
    () => call("get", "/v1/endpoints/{id}/stats", { path: { id: endpoint.id } }),
    { every: 5_000 },
  );
  const series = useSeries(endpoint.id).data;
  if (!data) return null;
  const { accepted, pending, oldest_pending_at: oldest, recent } = data;
  const { p50, p99 } = recent.latency_ms;
  return (
    <dl class="card figures">
      <Figure
        name="Accepted, last 24 h"
        value={count(accepted.last_day)}
        detail={`${count(accepted.last_hour)} in the last hour`}
      />
      <Figure
        name="Waiting"
        tone={pending > 0 && endpoint.health.state !== "healthy" ? "warn" : ""}
        value={pending >= 10_000 ? "10,000+" : count(pending)}
        detail={oldest ? `the oldest for ${duration(now.value - Date.parse(oldest))}` : "nothing"}
      />
      <AttemptsFigure series={series} detail={successWords(recent)} />
      <Figure
        name="Time to answer"
        value={p50 === null ? "–" : duration(p50)}
        detail={p99 === null ? "no attempts in the last hour" : `p99 ${duration(p99)}`}
      />
    </dl>
  );
}

function successWords({ delivered, failed, success_rate: rate }: EndpointStats["recent"]): string {
  const ended = delivered + failed;
  return ended === 0 ? "" : `${rate} % of the last ${plural(ended, "delivery", "deliveries")} succeeded`;
}

/** The order as a picture, or those of the keys that a retry holds back, while deliveries wait. */
function OrderCard({ endpoint }: { endpoint: Endpoint }) {
  const { pending, oldest_pending_at: oldest } = endpoint.health;
  if (endpoint.ordering === "unordered" || pending === 0) return null;
  if (endpoint.ordering === "by_key") return <StuckOrders endpoint={endpoint} />;
  const age = oldest ? `, the oldest for ${duration(now.value - Date.parse(oldest))}` : "";
  return (
    <Card
      title="Order"
      meta={`One ${endpoint.delivery === "pull" ? "page" : "delivery"} at a time. ${pendingWords(pending)} not delivered yet${age}.`}
      class="order"
    >
      <Order endpoint={endpoint} />
    </Card>
  );
}

function Charts({ endpoint }: { endpoint: Endpoint }) {
  const { data } = useSeries(endpoint.id);
  if (!data) return null;
  return (
    <div class="charts">
      <AnswersChart series={data} />
      <TimesChart series={data} />
      <BacklogChart series={data} />
    </div>
  );
}

const NO_FILTERS = readFilters(new URLSearchParams());

const TABS = [
  ["pending", "Next in order"],
  ["failed", "Failed"],
  ["delivered", "Delivered"],
  ["", "All"],
] as const;

function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const tab = params.value.get("tab") ?? (endpoint.health.state === "healthy" ? "" : "pending");
  return (
    <Card label="Deliveries">
      <div class="list-head">
        <Tabs
          label="Deliveries"
          tabs={TABS.map(([status, label]) => ({
            label: status === "pending" && endpoint.ordering === "unordered" ? "Waiting" : label,
            href: withParams({ tab: status || "all" }),
            isCurrent: tab === status || (tab === "all" && status === ""),
          }))}
        />
        <span class="end row">
          <ResendFailed filters={{ ...NO_FILTERS, endpoint: endpoint.id }} />
          <a
            class="link"
            href={linkTo("/console/deliveries", {
              endpoint: endpoint.id,
              status: tab === "all" ? null : tab,
            })}
          >
            Open the list
          </a>
        </span>
      </div>
      <RecentDeliveries endpointId={endpoint.id} status={tab === "all" ? "" : tab} />
    </Card>
  );
}

function SettingsCard({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const [isOpen, setOpen] = useState(false);
  const headers = [...Object.keys(endpoint.headers), ...endpoint.sensitive_headers];
  const events = endpoint.feed ? "Hermod's feed about its own work" : visible(eventsOf(endpoint).join(", "));
  const close = () => {
    setOpen(false);
    reload();
  };
  return (
    <Card title="Settings" actions={can("manage_endpoints") && <EditButton open={() => setOpen(true)} />}>
      <Facts
        facts={[
          ["Events", <code key="e">{events}</code>],
          ["Condition", endpoint.filter !== null && <code>{visible(endpoint.filter)}</code>],
          ["Headers", headers.length > 0 && <code>{visible(headers.join(", "))}</code>],
          ...settingFacts(endpoint),
          ["Created", <Time key="c" at={endpoint.created_at} />],
        ]}
      />
      {isOpen && <EditEndpoint endpoint={endpoint} sections={SECTIONS} onClose={close} />}
    </Card>
  );
}
