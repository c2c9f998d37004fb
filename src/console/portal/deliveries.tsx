import { useState } from "preact/hooks";
import type { Delivery, DeliveryDetail } from "../../client/types";
import { type Filters, isFiltered, readFilters } from "../pages/delivery-filters";
import { useDeliveryList } from "../pages/delivery-list";
import { useEndpoint, useEndpoints } from "../pages/endpoint-data";
import { Exchange } from "../pages/exchange";
import { FilterSentence } from "../pages/filter-sentence";
import { Timeline } from "../pages/timeline";
import { waitingSentence } from "../pages/waiting-sentence";
import { can, linkToPage } from "../shared/access";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { Icon } from "../shared/icon";
import { go, params } from "../shared/location";
import { Answer, Id, Pill, Problem, problemText, Skeleton, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { isNothingSent } from "./health-sentences";
import { ResendFailed } from "./resend-failed";
import { session, texts } from "./session";
import { eventName, lookOf } from "./words";

/** The list and the delivery side by side; on a phone one of them. */
export function Deliveries({ id }: { id: string | null }) {
  const limited = session.value?.endpoint_ids ?? null;
  const asked = readFilters(params.value);
  // A session of some endpoints must name one.
  const filters = { ...asked, endpoint: asked.endpoint ?? limited?.[0] ?? null };
  return (
    <>
      <h1>{texts.value.deliveries}</h1>
      <div class="row wrap">
        <FilterSentence filters={filters} mayAskAll={limited === null} />
        <ById />
      </div>
      <div class={id === null ? "portal-deliveries" : "portal-deliveries open"}>
        <List filters={filters} open={id} />
        {id !== null && <Detail key={id} id={id} />}
      </div>
    </>
  );
}

/** Opens the delivery with an id, such as the `webhook-id` of a request. */
function ById() {
  const t = texts.value;
  const [text, setText] = useState("");
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    go(linkToPage(`/deliveries/${encodeURIComponent(text.trim())}`));
  };
  return (
    <form class="by-id" onSubmit={open}>
      <input
        class="input mono"
        aria-label={t.byId}
        placeholder={t.byId}
        required
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

function List({ filters, open }: { filters: Filters; open: string | null }) {
  const t = texts.value;
  const endpoints = useEndpoints().data ?? [];
  const list = useDeliveryList(filters);
  const { rows, fresh, cursor, error, isLoaded } = list;
  const names = new Map(endpoints.map((each) => [each.id, visible(nameOf(each))]));
  const isEmpty =
    !isFiltered({ ...filters, endpoint: null }) &&
    isNothingSent(endpoints.filter(({ id }) => filters.endpoint === null || id === filters.endpoint));
  return (
    <section class="card" aria-label={t.deliveries}>
      {filters.status === "failed" && can("retry") && rows.value.length > 0 && (
        <div class="pad row">
          <ResendFailed filters={filters} reload={() => void list.look()} />
        </div>
      )}
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      {fresh.value.length > 0 && (
        <button type="button" class="fresh" onClick={() => list.showFresh()}>
          {t.newEvents(fresh.value.length)}
        </button>
      )}
      {!isLoaded.value && error.value === null && <Skeleton rows={6} height={56} />}
      {isLoaded.value && rows.value.length === 0 && cursor.value === null && (
        <div class="empty">
          <h2>{isEmpty ? t.noDeliveries : t.noneShown}</h2>
          {isEmpty && <p>{t.noDeliveriesHint}</p>}
        </div>
      )}
      <ul class="portal-rows">
        {rows.value.map((row) => (
          <li key={row.id} data-row>
            <Row
              row={row}
              isOpen={row.id === open}
              endpoint={filters.endpoint ? undefined : names.get(row.endpoint_id)}
            />
          </li>
        ))}
      </ul>
      {cursor.value !== null && (
        <div class="further">
          <button type="button" class="btn sm" onClick={() => void list.more()}>
            {t.older}
          </button>
        </div>
      )}
    </section>
  );
}

type RowProps = { row: Delivery; isOpen: boolean; endpoint: string | undefined };

function Row({ row, isOpen, endpoint }: RowProps) {
  return (
    <a href={linkToDelivery(row.id)} aria-current={isOpen ? "true" : undefined}>
      <span class="two grow">
        <span class="strong trunc">{eventName(row.event)}</span>
        <small class="trunc">
          <Time at={row.created_at} />
          {endpoint !== undefined && ` · ${endpoint}`}
        </small>
      </span>
      <State look={lookOf(row)} />
      <Answer status={row.response_status} />
    </a>
  );
}

/** Returns the URL of a delivery, or of the list, that keeps the filters. */
function linkToDelivery(id: string | null): string {
  const query = Object.fromEntries([...params.value].filter(([name]) => !["attempt", "tab"].includes(name)));
  return linkToPage(id === null ? "/deliveries" : `/deliveries/${id}`, query);
}

function Detail({ id }: { id: string }) {
  const { data, error, reload } = useResource(
    `delivery ${id}`,
    () => call("get", "/v1/webhooks/{id}", { path: { id } }),
    { every: 3_000 },
  );
  const endpoint = useEndpoint(data?.endpoint_id ?? null).data;
  if (error && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <Skeleton rows={6} />;
  return (
    <div class="stack" key={id}>
      <Head delivery={data} reload={reload} />
      <Timeline delivery={data} endpoint={endpoint} />
      <Exchange delivery={data} endpoint={endpoint} />
    </div>
  );
}

function Head({ delivery, reload }: { delivery: DeliveryDetail; reload(): void }) {
  const t = texts.value;
  const why = waitingSentence(delivery, null);
  return (
    <section class="card" aria-label={eventName(delivery.event)}>
      <header>
        <a class="icon" href={linkToDelivery(null)} aria-label={t.back}>
          <Icon name="back" />
        </a>
        <h2 class="trunc">{eventName(delivery.event)}</h2>
        <Pill look={lookOf(delivery)} />
        <span class="end row">
          <Resend delivery={delivery} reload={reload} />
        </span>
      </header>
      <div class="pad row wrap">
        <Id id={delivery.id} />
        {delivery.sequence !== null && <span class="dim num">{t.number(delivery.sequence)}</span>}
        {why !== "" && <p>{why}</p>}
      </div>
    </section>
  );
}

function Resend({ delivery, reload }: { delivery: DeliveryDetail; reload(): void }) {
  const t = texts.value;
  if (!can("retry")) return null;
  const path = { id: delivery.id };
  const isWaiting = delivery.status === "pending";
  if (isWaiting && delivery.waiting_for?.reason !== "retry") return null;
  const act = async () => {
    try {
      if (isWaiting) await call("post", "/v1/webhooks/{id}/retry", { path });
      else await call("post", "/v1/webhooks/{id}/resend", { path });
      say(t.resent);
    } catch (error) {
      say(problemText(error));
    }
    reload();
  };
  return (
    <button type="button" class="btn sm" onClick={() => void act()}>
      <Icon name="retry" small />
      {isWaiting ? t.retry : t.resend}
    </button>
  );
}
