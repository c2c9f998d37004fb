import type { Endpoint } from "../../client/types";
import { canRetry, pauseEndpoint, RetryEndpoint } from "../pages/actions";
import { useEndpoints } from "../pages/endpoint-data";
import { joined, SHARED } from "../pages/endpoint-form";
import { EndpointMenu } from "../pages/endpoint-menu";
import { lookOfHealth } from "../pages/states";
import { TestEvent } from "../pages/test-event";
import { can } from "../shared/access";
import { nameOf } from "../shared/endpoint-name";
import { Icon } from "../shared/icon";
import { byTrouble } from "../shared/look";
import { CopyButton, Pill, Problem, Skeleton } from "../shared/parts";
import { Sentences } from "../shared/sentence-view";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { healthSentences } from "./health-sentences";
import { session, texts } from "./session";

export function Endpoints() {
  const t = texts.value;
  const { data, error, reload } = useEndpoints();
  return (
    <>
      <div class="lead">
        <div class="grow">
          <h1>{t.endpoints}</h1>
          <p>{t.endpointsIntro(visible(session.value?.product_name ?? t.sender))}</p>
        </div>
        {can("add_endpoints") && (
          <a class="btn pri" href="/portal/endpoints/new">
            <Icon name="plus" />
            {t.add}
          </a>
        )}
      </div>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={3} height={110} />}
      {data?.length === 0 && (
        <section class="card empty">
          <h2>{t.noEndpoints}</h2>
          <p>{t.noEndpointsHint}</p>
        </section>
      )}
      {data && data.length > 0 && (
        <ul class="card portal-list">
          {data.toSorted(byTrouble).map((endpoint) => (
            <li key={endpoint.id}>
              <Row endpoint={endpoint} reload={reload} />
            </li>
          ))}
        </ul>
      )}
      <div class="note">
        <Icon name="info" />
        <p>
          {t.sequenceHint} {t.completeHint}
        </p>
      </div>
    </>
  );
}

function Row({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const t = texts.value;
  const { state } = endpoint.health;
  const events = endpoint.event_types.includes("*") ? [t.allEvents] : endpoint.event_types;
  return (
    <>
      <div class="grow">
        <div class="row wrap">
          <h2>{visible(nameOf(endpoint))}</h2>
          <Pill look={lookOfHealth(state)} />
        </div>
        <div class="row url">
          <code class="break">{visible(endpoint.url)}</code>
          <CopyButton text={endpoint.url} label={t.copyOf(endpoint.url)} />
        </div>
        <HealthWords endpoint={endpoint} />
        {endpoint.health.complete_up_to > 0 && (
          <p class="row dim num" title={t.completeHint}>
            <Icon name="tick" small /> {t.completeUpTo(endpoint.health.complete_up_to)}
          </p>
        )}
        <div class="row wrap chips">
          {events.slice(0, 8).map((event) => (
            <code key={event}>{visible(event)}</code>
          ))}
        </div>
      </div>
      <Actions endpoint={endpoint} reload={reload} />
    </>
  );
}

/** The endpoint's state in the words of the person whose server it is. Empty while all is well. */
function HealthWords({ endpoint }: { endpoint: Endpoint }) {
  const sentences = healthSentences(endpoint, texts.value, now.value);
  if (sentences.length === 0) return null;
  return (
    <p class={endpoint.health.state === "healthy" ? "dim" : "break"}>
      <Sentences sentences={sentences} />
    </p>
  );
}

function Actions({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const t = texts.value;
  const pause = { label: t.pause, act: () => pauseEndpoint(endpoint) };
  return (
    <span class="row wrap portal-actions">
      <RetryEndpoint endpoint={endpoint} isQuiet />
      {endpoint.is_active && !canRetry(endpoint) && <TestEvent endpoint={endpoint} />}
      <EndpointMenu
        endpoint={endpoint}
        sections={SECTIONS}
        items={endpoint.is_active && can("manage_endpoints") ? [pause] : []}
        onDone={reload}
      />
    </span>
  );
}

const { ADDRESS, EVENTS, HEADERS } = SHARED;
/** The chapters of an endpoint's settings. */
const SECTIONS = [ADDRESS, EVENTS, HEADERS];
/** The steps of a new endpoint. */
export const STEPS = [joined(ADDRESS, HEADERS), EVENTS];
