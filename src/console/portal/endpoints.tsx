import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { canRetry, pauseEndpoint, RetryEndpoint } from "../pages/actions";
import { AddEndpoint, NoEndpoints } from "../pages/add-endpoint";
import { useEndpoints } from "../pages/endpoint-data";
import { joined, SHARED } from "../pages/endpoint-form";
import { EndpointLead, eventsOf } from "../pages/endpoint-lead";
import { EndpointMenu } from "../pages/endpoint-menu";
import { TestEvent } from "../pages/test-event";
import { can } from "../shared/access";
import { Icon } from "../shared/icon";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { byTrouble } from "../shared/look";
import { Card } from "../shared/parts";
import { Sentences } from "../shared/sentence-view";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { filterSentences, healthSentences } from "./health-sentences";
import { session, texts } from "./session";

export function Endpoints() {
  const t = texts.value;
  const endpoints = useEndpoints();
  return (
    <>
      <Lead title={t.endpoints} intro={t.endpointsIntro(visible(session.value?.product_name ?? t.sender))}>
        <AddEndpoint />
      </Lead>
      <Loaded resource={endpoints} bars={3} height={110}>
        {(data) => <List endpoints={data} reload={endpoints.reload} />}
      </Loaded>
      <div class="note">
        <Icon name="info" />
        <p>
          {t.sequenceHint} {t.completeHint}
        </p>
      </div>
    </>
  );
}

/** Most endpoints that are drawn at first, those with trouble before the others. */
const DRAWN = 50;
/** Most event types that an endpoint names. */
const NAMED = 8;

function List({ endpoints, reload }: { endpoints: readonly Endpoint[]; reload(): void }) {
  const [shown, setShown] = useState(DRAWN);
  if (endpoints.length === 0)
    return (
      <Card>
        <NoEndpoints />
      </Card>
    );
  return (
    <>
      <ul class="card portal-list">
        {endpoints
          .toSorted(byTrouble)
          .slice(0, shown)
          .map((endpoint) => (
            <li key={endpoint.id}>
              <EndpointLead endpoint={endpoint} isPart>
                <Actions endpoint={endpoint} reload={reload} />
              </EndpointLead>
              <HealthWords endpoint={endpoint} />
              <Wanted endpoint={endpoint} />
            </li>
          ))}
      </ul>
      {shown < endpoints.length && (
        <button type="button" class="btn" onClick={() => setShown(shown * 4)}>
          {texts.value.showMore(Math.min(shown * 3, endpoints.length - shown))}
        </button>
      )}
    </>
  );
}

/** The first event types that an endpoint gets, and the number of the others. */
function Wanted({ endpoint }: { endpoint: Endpoint }) {
  const events = eventsOf(endpoint);
  return (
    <div class="row wrap chips">
      {events.slice(0, NAMED).map((event) => (
        <code key={event}>{visible(event)}</code>
      ))}
      {events.length > NAMED && <span class="faint">{texts.value.andOthers(events.length - NAMED)}</span>}
    </div>
  );
}

/** The endpoint's state in the words of the person whose server it is. Empty while all is well. */
function HealthWords({ endpoint }: { endpoint: Endpoint }) {
  const sentences = [
    ...healthSentences(endpoint, texts.value, now.value),
    ...filterSentences(endpoint, texts.value),
  ];
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
    <>
      <RetryEndpoint endpoint={endpoint} isQuiet />
      {endpoint.is_active && !canRetry(endpoint) && <TestEvent endpoint={endpoint} />}
      <EndpointMenu
        endpoint={endpoint}
        sections={SECTIONS}
        items={endpoint.is_active && can("manage_endpoints") ? [pause] : []}
        onDone={reload}
      />
    </>
  );
}

const { ADDRESS, EVENTS, HEADERS } = SHARED;
/** The chapters of an endpoint's settings. */
const SECTIONS = [ADDRESS, EVENTS, HEADERS];
/** The steps of a new endpoint. */
export const STEPS = [joined(ADDRESS, HEADERS), EVENTS];
