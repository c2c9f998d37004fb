import { useState } from "preact/hooks";
import type { Delivery, Endpoint } from "../../client/types";
import { DeliveryHead, linkToDelivery, ResendDelivery, RetryDelivery, useDelivery } from "../pages/delivery";
import { type Filters, isFiltered, readFilters } from "../pages/delivery-filters";
import { useDeliveryList } from "../pages/delivery-list";
import { useEndpoints } from "../pages/endpoint-data";
import { eventName } from "../pages/event-name";
import { Exchange } from "../pages/exchange";
import { FilterSentence } from "../pages/filter-sentence";
import { failedOf, Resend } from "../pages/resend";
import { lookOfStatus } from "../pages/states";
import { type Both, Timeline } from "../pages/timeline";
import { waitingSentence } from "../pages/waiting-sentence";
import { can, linkToPage } from "../shared/access";
import { nameOf } from "../shared/endpoint-name";
import { GrowingList } from "../shared/growing-list";
import { Icon } from "../shared/icon";
import { Loaded } from "../shared/loaded";
import { go, params } from "../shared/location";
import { Answer, Empty, Pill, State, Time } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { VirtualRows } from "../shared/virtual-rows";
import { visible } from "../shared/visible-text";
import { isNothingSent } from "./health-sentences";
import { session, texts } from "./session";

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

/** The height of a row in pixels. */
const ROW_HEIGHT = 57;

function List({ filters, open }: { filters: Filters; open: string | null }) {
  const t = texts.value;
  const endpoints = useEndpoints().data ?? [];
  const list = useDeliveryList(filters);
  const names = new Map(endpoints.map((each) => [each.id, visible(nameOf(each))]));
  return (
    <section class="card" aria-label={t.deliveries}>
      {isResendable(filters) && can("retry") && list.rows.value.length > 0 && (
        <div class="pad row">
          <Resend
            name={t.resendTitle}
            isShown
            selectionOf={() => ({ filter: failedOf(filters, serverNow()) })}
          />
        </div>
      )}
      <GrowingList list={list} height={56} nothing={<Nothing filters={filters} endpoints={endpoints} />}>
        <div role="list" class="portal-rows">
          <VirtualRows
            items={list.rows.value}
            rowHeight={ROW_HEIGHT}
            role="presentation"
            keyOf={({ id }) => id}
            render={(row, index) => (
              <div role="listitem" aria-posinset={index + 1} aria-setsize={-1} data-row>
                <Row
                  row={row}
                  isOpen={row.id === open}
                  endpoint={filters.endpoint ? undefined : names.get(row.endpoint_id)}
                />
              </div>
            )}
          />
        </div>
      </GrowingList>
    </section>
  );
}

/** True if the service resends the failed deliveries of the filter for a customer: by payload it selects none. */
function isResendable({ status, fields }: Filters): boolean {
  return status === "failed" && fields.length === 0;
}

function Nothing({ filters, endpoints }: { filters: Filters; endpoints: readonly Endpoint[] }) {
  const t = texts.value;
  const asked = endpoints.filter(({ id }) => filters.endpoint === null || id === filters.endpoint);
  if (isFiltered({ ...filters, endpoint: null }) || !isNothingSent(asked))
    return <Empty title={t.noneShown} />;
  return (
    <Empty title={t.noDeliveries}>
      <p>{t.noDeliveriesHint}</p>
    </Empty>
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
      <State look={lookOfStatus(row)} />
      <Answer status={row.response_status} />
    </a>
  );
}

function Detail({ id }: { id: string }) {
  const delivery = useDelivery(id);
  return (
    <div class="stack">
      <Loaded resource={delivery} bars={6}>
        {(data) => <Shown delivery={data} endpoint={delivery.endpoint} />}
      </Loaded>
    </div>
  );
}

function Shown(both: Both) {
  const { delivery, endpoint } = both;
  const why = waitingSentence(delivery, endpoint);
  const back = (
    <a class="icon" href={linkToDelivery(null)} aria-label={texts.value.back}>
      <Icon name="back" />
    </a>
  );
  return (
    <>
      <DeliveryHead {...both} back={back} state={<Pill look={lookOfStatus(delivery)} />}>
        <RetryDelivery delivery={delivery} />
        <ResendDelivery delivery={delivery} />
      </DeliveryHead>
      {why !== "" && <p>{why}</p>}
      <Timeline {...both} />
      <Exchange {...both} />
    </>
  );
}
