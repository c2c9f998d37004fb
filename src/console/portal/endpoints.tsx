import type { Endpoint } from "../../client/types";
import { canRetry, pauseEndpoint, RetryEndpoint } from "../pages/actions";
import { useEndpoints } from "../pages/endpoint-data";
import { joined, SHARED } from "../pages/endpoint-form";
import { EndpointMenu } from "../pages/endpoint-menu";
import { TestEvent } from "../pages/test-event";
import { can } from "../shared/access";
import { answerOf } from "../shared/answer";
import { nameOf } from "../shared/endpoint-name";
import { Icon } from "../shared/icon";
import { byTrouble, LATE_MS } from "../shared/look";
import { CopyButton, Pill, Problem, Skeleton, Time } from "../shared/parts";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { session, texts } from "./session";
import { lookOfHealth } from "./words";

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

/** The endpoint's state in the words of the one whose server it is; nothing while all is well. */
function HealthWords({ endpoint }: { endpoint: Endpoint }) {
  const t = texts.value;
  const { state, since, last_failure: failure, pending, oldest_pending_at: oldest } = endpoint.health;
  const waits = pending > 0 ? ` ${t.waiting(pending)}` : "";
  if (state === "healthy") {
    const isLate = oldest !== null && now.value - Date.parse(oldest) > LATE_MS;
    return isLate ? <p class="dim">{waits}</p> : null;
  }
  const from = since && <Time at={since} seconds={false} />;
  if (state === "paused")
    return (
      <p class="break">
        <strong>
          {t.pausedSince} {from}.
        </strong>{" "}
        {t.kept}
        {waits}
      </p>
    );
  const isAnswered = failure !== null && failure.status > 0;
  const answer = failure ? answerOf(failure) : t.noAnswer;
  return (
    <p class="break">
      <strong class="bad">
        {isAnswered ? t.answersSince(answer) : t.unansweredSince(answer)} {from}.
      </strong>
      {waits} {pending > 0 && (state === "disabled" ? t.afterResume : t.inOrder)}
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
