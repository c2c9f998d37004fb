import type { Delivery, DeliveryDetail, DeliveryList } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { can } from "../shared/access";
import { answerOf, isGood } from "../shared/answer";
import { ask, call } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { nameOf } from "../shared/endpoint-name";
import { forgeryWords } from "../shared/endpoint-test";
import { duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { PAGE, useLiveList } from "../shared/live-list";
import { params, setParams } from "../shared/location";
import { Answer, Countdown, Id, Pill, Problem, problemText, Skeleton, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { ResendFailed } from "./resend-failed";
import { session, texts } from "./session";
import { eventName, lookOf } from "./words";

const STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;

/** The list and the delivery side by side; on a phone one of them. */
export function Deliveries({ id }: { id: string | null }) {
  return (
    <>
      <h1>{texts.value.deliveries}</h1>
      <div class={id === null ? "portal-deliveries" : "portal-deliveries open"}>
        <List open={id} />
        {id !== null && <Detail key={id} id={id} />}
      </div>
    </>
  );
}

function List({ open }: { open: string | null }) {
  const t = texts.value;
  const endpoints = useEndpoints().data ?? [];
  const limited = session.value?.endpoint_ids ?? null;
  const endpoint = params.value.get("endpoint") ?? limited?.[0] ?? "";
  const status = params.value.get("status") ?? "";
  const list = useLiveList<Delivery>(`${endpoint} ${status}`, async (cursor) => {
    const query = { limit: PAGE, endpoint_id: endpoint, status, cursor };
    return (await ask("get", "/v1/webhooks", { query })) as DeliveryList;
  });
  const names = new Map(endpoints.map((each) => [each.id, visible(nameOf(each))]));
  const { rows, fresh, cursor, error, isLoaded } = list;
  const search = params.value.size > 0 ? `?${params.value}` : "";
  return (
    <section class="card" aria-label={t.deliveries}>
      <div class="pad row wrap">
        <select
          class="input"
          aria-label={t.endpoints}
          value={endpoint}
          onChange={(event) => setParams({ endpoint: event.currentTarget.value })}
        >
          {limited === null && <option value="">{t.anyEndpoint}</option>}
          {endpoints.map((each) => (
            <option key={each.id} value={each.id}>
              {visible(nameOf(each))}
            </option>
          ))}
        </select>
        <select
          class="input"
          aria-label={t.status}
          value={status}
          onChange={(event) => setParams({ status: event.currentTarget.value })}
        >
          <option value="">{t.anyStatus}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {t[each]}
            </option>
          ))}
        </select>
        {status === "failed" && can("retry") && rows.value.length > 0 && (
          <ResendFailed endpoint={endpoint} reload={() => void list.look()} />
        )}
      </div>
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      {fresh.value.length > 0 && (
        <button type="button" class="fresh" onClick={() => list.showFresh()}>
          {t.newEvents(fresh.value.length)}
        </button>
      )}
      {!isLoaded.value && error.value === null && <Skeleton rows={6} height={56} />}
      {isLoaded.value && rows.value.length === 0 && (
        <div class="empty">
          <h2>{t.noDeliveries}</h2>
          <p>{t.noDeliveriesHint}</p>
        </div>
      )}
      <ul class="portal-rows">
        {rows.value.map((row) => (
          <li key={row.id} data-row>
            <a
              href={`/portal/deliveries/${row.id}${search}`}
              aria-current={row.id === open ? "true" : undefined}
            >
              <span class="two grow">
                <span class="strong trunc">{eventName(row.event)}</span>
                <small class="trunc">
                  <Time at={row.created_at} />
                  {endpoint === "" && names.has(row.endpoint_id) && ` · ${names.get(row.endpoint_id)}`}
                </small>
              </span>
              <State look={lookOf(row)} />
              <Answer status={row.response_status} />
            </a>
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

function Detail({ id }: { id: string }) {
  const t = texts.value;
  const { data, error, reload } = useResource(
    `delivery ${id}`,
    () => call("get", "/v1/webhooks/{id}", { path: { id } }),
    {
      every: 3_000,
    },
  );
  if (error && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <Skeleton rows={6} />;
  const waiting = data.waiting_for;
  return (
    <section class="card" aria-label={eventName(data.event)}>
      <header>
        <a class="icon" href={`/portal/deliveries${location.search}`} aria-label={t.back}>
          <Icon name="back" />
        </a>
        <h2 class="trunc">{eventName(data.event)}</h2>
        <Pill look={lookOf(data)} />
        <span class="end row">
          <Resend delivery={data} reload={reload} />
        </span>
      </header>
      <div class="pad row wrap">
        <Id id={data.id} />
        {data.sequence !== null && <span class="dim num">{t.number(data.sequence)}</span>}
        {waiting?.reason === "retry" && waiting.until && (
          <span class="state warn">
            {t.nextTry} <Countdown until={waiting.until} ring={false} />
          </span>
        )}
      </div>
      {forgeryWords(data) !== "" && <p class="pad">{forgeryWords(data)}</p>}
      {data.attempts.length > 0 && <h3>{t.attempts}</h3>}
      <ol class="portal-attempts">
        {data.attempts.toReversed().map((attempt) => (
          <li key={attempt.attempt}>
            <div class="row">
              <span class={isGood(attempt) ? "pill ok" : "pill bad"}>{answerOf(attempt)}</span>
              <span class="num dim">{duration(attempt.duration_ms)}</span>
              <span class="end">
                <Time at={attempt.timestamp} />
              </span>
            </div>
            {attempt.response_body && <Code label={t.answer} text={attempt.response_body} />}
          </li>
        ))}
      </ol>
      {can("view_payloads") ? (
        <Code label={t.payload} text={prettyJson(data.data)} isJson />
      ) : (
        <p class="pad dim">{t.noPayload}</p>
      )}
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
