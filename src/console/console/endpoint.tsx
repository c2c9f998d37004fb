import { useState } from "preact/hooks";
import type { Attempt, Endpoint } from "../../client/types";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, duration, pendingWords, plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo, params, withParams } from "../shared/location";
import { Card, Facts, Id, Pill, Problem, Skeleton, Tabs, Time } from "../shared/parts";
import { Menu } from "../shared/popover";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { PauseEndpoint, RetryEndpoint } from "./actions";
import { keyed, useEndpoint } from "./data";
import { DeleteEndpoint } from "./delete-endpoint";
import { readFilters } from "./delivery-filters";
import { EditEndpoint } from "./edit-endpoint";
import { Figure } from "./figure";
import { Order } from "./order";
import { RecentDeliveries } from "./recent-deliveries";
import { Replay } from "./replay";
import { ResendFailed } from "./resend";
import { RotateSecret } from "./rotate-secret";
import { AnswersChart, BacklogChart, RangeChoice, TimesChart, useSeries } from "./series";
import { can } from "./session";
import { Page } from "./shell";
import { TestEvent } from "./test-event";
import { eventsOf, lookOfHealth, scheduleWords } from "./words";

export function EndpointPage({ id }: { id: string }) {
  const { data, error, reload } = useEndpoint(id);
  return (
    <Page
      crumbs={[
        { label: "Endpoints", href: "/console/endpoints" },
        { label: data ? nameOf(data) : "Endpoint" },
      ]}
      actions={<RangeChoice />}
    >
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && <Shown endpoint={data} reload={reload} />}
    </Page>
  );
}

type Open = "edit" | "rotate" | "replay" | "delete" | null;

function Shown({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const [open, setOpen] = useState<Open>(null);
  const { health } = endpoint;
  const close = () => {
    setOpen(null);
    reload();
  };
  const items = [
    ...(can("endpoints:write") ? [{ label: "Edit settings", act: () => setOpen("edit") }] : []),
    ...(can("endpoints:write") ? [{ label: "Rotate the secret", act: () => setOpen("rotate") }] : []),
    ...(can("webhooks:retry") ? [{ label: "Replay deliveries", act: () => setOpen("replay") }] : []),
    ...(can("endpoints:write") ? [{ label: "Delete", isDanger: true, act: () => setOpen("delete") }] : []),
  ];
  return (
    <>
      <div class="lead">
        <div class="grow">
          <div class="row wrap">
            <h1>{visible(nameOf(endpoint))}</h1>
            <Pill look={lookOfHealth(health.state)}>
              {lookOfHealth(health.state).word}
              {health.since && (
                <>
                  {" since "}
                  <Time at={health.since} seconds={false} />
                </>
              )}
            </Pill>
          </div>
          <div class="row wrap under">
            <Id id={endpoint.url} />
            <Id id={endpoint.id} />
            {endpoint.external_id && <Id id={endpoint.external_id} />}
            {health.complete_up_to > 0 && (
              <span class="state calm" title="No delivery with a number up to it is pending.">
                <Icon name="tick" small />
                Complete up to #{count(health.complete_up_to)}
              </span>
            )}
          </div>
        </div>
        <div class="row wrap actions">
          {can("webhooks:retry") && <TestEvent endpoint={endpoint} />}
          {endpoint.is_active && <PauseEndpoint endpoint={endpoint} />}
          <RetryEndpoint endpoint={endpoint} />
          {items.length > 0 && (
            <Menu items={items} label="More actions">
              <Icon name="more" />
            </Menu>
          )}
        </div>
      </div>
      <Health endpoint={endpoint} />
      <Figures endpoint={endpoint} />
      <OrderCard endpoint={endpoint} />
      <Charts endpoint={endpoint} />
      <div class="main-and-side">
        <Deliveries endpoint={endpoint} />
        <SettingsCard endpoint={endpoint} onEdit={() => setOpen("edit")} />
      </div>
      {open === "edit" && <EditEndpoint endpoint={endpoint} onClose={close} />}
      {open === "rotate" && <RotateSecret endpoint={endpoint} onClose={close} />}
      {open === "replay" && <Replay endpoint={endpoint} onClose={close} />}
      {open === "delete" && <DeleteEndpoint endpoint={endpoint} onClose={close} />}
    </>
  );
}

/** The problem of the endpoint, since when, and Hermod's reaction. Empty if all is well. */
function Health({ endpoint }: { endpoint: Endpoint }) {
  const { state, since, reason, last_failure: failure, last_success_at: success } = endpoint.health;
  if (state === "healthy") return null;
  const tone = state === "paused" ? "" : state === "failing" ? "warn" : "bad";
  return (
    <div class={`note ${tone}`}>
      <Icon name={lookOfHealth(state).icon} />
      <p>
        <strong>{headline(endpoint)}</strong>
        {since && (
          <>
            {" Since "}
            <Time at={since} />
            {failure && state !== "paused" && (
              <>
                , most recently <Time at={failure.at} />
              </>
            )}
            .
          </>
        )}
        {success && state !== "paused" && (
          <>
            {" It last recovered "}
            <Time at={success} />.
          </>
        )}
        {reason && state === "disabled" && ` ${REASONS[reason] ?? ""}`}
        {(state === "failing" || state === "blocked") &&
          " Hermod goes on trying; deliveries wait in their order."}
      </p>
    </div>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  failing: "Every attempt failed for so long that Hermod switched it off.",
  gone: "It answered 410 Gone twice.",
  unwanted: "It asked to be switched off.",
  exhausted: "A delivery used up its attempts. Resume to attempt it again, or cancel it first to pass it.",
};

function headline({ health, is_active }: Endpoint): string {
  if (health.state === "paused" || !is_active) return "Nothing is sent; deliveries are kept in their order.";
  const answers = health.last_failure ? failureWords(health.last_failure) : "fails";
  return health.state === "blocked"
    ? `A delivery holds back those behind it: the server ${answers}.`
    : `The server ${answers}.`;
}

/** `answers` 503, or `fails with` a refused connection. */
function failureWords(failure: Pick<Attempt, "status" | "error">): string {
  return `${failure.status === 0 ? "fails with" : "answers"} ${answerOf(failure)}`;
}

function Figures({ endpoint }: { endpoint: Endpoint }) {
  const { data } = useResource(
    can("stats:read") ? keyed("endpoint-stats", endpoint.id) : null,
    () => call("get", "/v1/endpoints/{id}/stats", { path: { id: endpoint.id } }),
    { every: 5_000 },
  );
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
      <Figure
        name="Attempts, last hour"
        value={count(recent.attempts)}
        detail={recent.attempts > 0 ? `${recent.success_rate} % of deliveries succeed` : "none"}
      />
      <Figure
        name="Time to answer"
        value={p50 === null ? "–" : duration(p50)}
        detail={p99 === null ? "no attempts" : `p99 ${duration(p99)}`}
      />
    </dl>
  );
}

/** The order as a picture, if the endpoint is ordered and deliveries wait. */
function OrderCard({ endpoint }: { endpoint: Endpoint }) {
  const { pending, oldest_pending_at: oldest } = endpoint.health;
  if (endpoint.ordering !== "ordered" || pending === 0) return null;
  const age = oldest ? `, the oldest for ${duration(now.value - Date.parse(oldest))}` : "";
  return (
    <Card
      title="Order"
      meta={`One delivery at a time. ${pendingWords(pending)} ${pending === 1 ? "waits" : "wait"}${age}.`}
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
  ["pending", "Waiting"],
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
            label,
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

const ORDERS = {
  ordered: "in one order",
  by_key: "in an order for each key",
  unordered: "without an order",
} as const;

function SettingsCard({ endpoint, onEdit }: { endpoint: Endpoint; onEdit(): void }) {
  const headers = [...Object.keys(endpoint.headers), ...endpoint.sensitive_headers];
  return (
    <Card
      title="Settings"
      actions={
        can("endpoints:write") && (
          <button type="button" class="btn sm" onClick={onEdit}>
            <Icon name="edit" small />
            Edit
          </button>
        )
      }
    >
      <Facts
        facts={[
          [
            "Events",
            endpoint.feed ? (
              "Hermod's feed about its own work"
            ) : (
              <code key="e">{visible(eventsOf(endpoint))}</code>
            ),
          ],
          ["Delivered", ORDERS[endpoint.ordering]],
          ["In flight", endpoint.ordering === "ordered" ? null : `at most ${count(endpoint.max_in_flight)}`],
          [
            "Rate limit",
            endpoint.rate_limit === null
              ? "none"
              : `${plural(endpoint.rate_limit, "attempt", "attempts")} a second`,
          ],
          ["Timeout", endpoint.timeout_ms === null ? "the service's" : duration(endpoint.timeout_ms)],
          [
            "Retries after",
            endpoint.retry_schedule_ms === null
              ? "the service's schedule"
              : scheduleWords(endpoint.retry_schedule_ms),
          ],
          [
            "Fails at once",
            endpoint.permanent_statuses.length > 0 ? endpoint.permanent_statuses.join(", ") : null,
          ],
          [
            "After the last attempt",
            endpoint.on_exhausted === "pause" ? "it stops at that delivery until somebody resumes it" : null,
          ],
          ["While paused", endpoint.while_inactive === "hold" ? "events are kept" : "events are skipped"],
          ["Body", endpoint.format === "payload" ? null : endpoint.format],
          ["Headers", headers.length > 0 ? <code key="h">{visible(headers.join(", "))}</code> : null],
          ...Object.entries(endpoint.metadata).map(
            ([name, value]) => [visible(name), visible(value)] as const,
          ),
          ["Created", <Time key="c" at={endpoint.created_at} />],
        ]}
      />
    </Card>
  );
}
