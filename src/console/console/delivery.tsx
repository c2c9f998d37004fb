import { useState } from "preact/hooks";
import type { Attempt, DeliveryDetail, Endpoint } from "../../client/types";
import { call } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { Dialog } from "../shared/dialog";
import { count, duration, moment, plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { go, linkTo, params, withParams } from "../shared/location";
import { Card, Countdown, copyText, Facts, Id, Pill, Problem, Skeleton, Tabs, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { actUnlessUndone } from "../shared/toast";
import { visible } from "../shared/visible-text";
import {
  answerOf,
  errorWords,
  isSuccess,
  lookOf,
  nameOf,
  reasonOf,
  scheduleWords,
  waitingSentence,
} from "../shared/words";
import { useAction } from "./actions";
import { curlOf } from "./curl";
import { keyed, useEndpoint } from "./data";
import { Order } from "./order";
import { can } from "./session";
import { Page } from "./shell";

/** How often a delivery that is not over is looked at. */
const OPEN_EVERY_MS = 2_000;

export function DeliveryPage({ id }: { id: string }) {
  const [isOver, setOver] = useState(false);
  const { data, error, reload } = useResource(
    keyed("delivery", id),
    async () => {
      const found = await call("get", "/v1/webhooks/{id}", { path: { id } });
      setOver(found.status !== "pending");
      return found;
    },
    isOver ? {} : { every: OPEN_EVERY_MS },
  );
  const endpoint = useEndpoint(data?.endpoint_id ?? null).data;
  const name = endpoint ? nameOf(endpoint) : "Endpoint";
  const number = data && data.sequence !== null ? `#${count(data.sequence)}` : "Delivery";
  return (
    <Page
      crumbs={[
        { label: "Deliveries", href: "/console/deliveries" },
        ...(endpoint ? [{ label: name, href: `/console/endpoints/${endpoint.id}` }] : []),
        { label: number },
      ]}
    >
      {error && <Gone error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && <Shown delivery={data} endpoint={endpoint} />}
    </Page>
  );
}

function Gone({ error, retry }: { error: { status?: number } & Error; retry(): void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
  return (
    <div class="note">
      <Icon name="info" />
      <p>
        There is no such delivery in this account. Deliveries that have ended are kept for a limited time, 30
        days unless the service is set up otherwise.
      </p>
    </div>
  );
}

type Both = { delivery: DeliveryDetail; endpoint: Endpoint | null };

function Shown({ delivery, endpoint }: Both) {
  return (
    <>
      <div class="lead">
        <div class="grow">
          <div class="row wrap">
            <h1>{visible(delivery.event ?? "No event type")}</h1>
            <Pill look={lookOf(delivery)}>{pillWord(delivery)}</Pill>
          </div>
          <div class="row wrap under">
            <Id id={delivery.id} />
            {endpoint && (
              <span class="dim">
                {delivery.sequence === null ? "to " : `#${count(delivery.sequence)} of `}
                <a class="link" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
                  {visible(nameOf(endpoint))}
                </a>
              </span>
            )}
          </div>
        </div>
        <Actions delivery={delivery} endpoint={endpoint} />
      </div>
      {delivery.status === "pending" && <PlaceInOrder delivery={delivery} endpoint={endpoint} />}
      <div class="two-columns">
        <Timeline delivery={delivery} endpoint={endpoint} />
        <Exchange delivery={delivery} endpoint={endpoint} />
      </div>
      <About delivery={delivery} endpoint={endpoint} />
    </>
  );
}

function pillWord(delivery: DeliveryDetail): string {
  const { status, attempt_count: attempts, waiting_for: waiting, failure_reason, cancel_reason } = delivery;
  if (status === "failed" && failure_reason === "expired") return "Expired";
  if (status === "pending" && waiting?.reason === "retry") return `Waiting for attempt ${attempts + 1}`;
  if (status === "cancelled" && cancel_reason === "endpoint_deleted") return "Cancelled: endpoint deleted";
  if (status === "cancelled" && cancel_reason === "erased") return "Cancelled: payload erased";
  return lookOf(delivery).word;
}

function PlaceInOrder({ delivery, endpoint }: Both) {
  const isUnordered = endpoint?.ordering === "unordered";
  return (
    <Card
      title={isUnordered ? "Why it waits" : "Place in the order"}
      meta={waitingSentence(delivery)}
      class="order"
    >
      {endpoint && !isUnordered && <Order endpoint={endpoint} delivery={delivery} />}
    </Card>
  );
}

function Actions({ delivery, endpoint }: Both) {
  const [isErasing, setErasing] = useState(false);
  const { id, status } = delivery;
  return (
    <div class="row wrap actions">
      <button
        type="button"
        class="btn"
        onClick={() => void copyText(summaryOf(delivery, endpoint), "The summary is copied.")}
      >
        <Icon name="copy" />
        Copy summary
      </button>
      {can("webhooks:write") && !delivery.erased_at && !isErasing && (
        <button type="button" class="btn danger" onClick={() => setErasing(true)}>
          Erase payload
        </button>
      )}
      {can("webhooks:retry") && status === "pending" && <CancelDelivery id={id} />}
      {can("webhooks:retry") && status === "pending" && <RetryDelivery delivery={delivery} />}
      {can("webhooks:retry") && status !== "pending" && !delivery.erased_at && <ResendDelivery id={id} />}
      {isErasing && <Erase delivery={delivery} onClose={() => setErasing(false)} />}
    </div>
  );
}

/** Retries the delivery, or the one in front of it, which is what helps. */
function RetryDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const waiting = delivery.waiting_for;
  const front = waiting?.reason === "turn" ? waiting.in_front : null;
  const { run, isBusy } = useAction(async () => {
    await call("post", "/v1/webhooks/{id}/retry", { path: { id: front?.id ?? delivery.id } });
    return front ? `#${count(front.sequence)} is tried again now.` : "It is tried again now.";
  });
  const canHelp = front ? front.next_attempt_at !== null : waiting?.reason === "retry";
  if (!canHelp) return null;
  return (
    <button type="button" class="btn pri" disabled={isBusy} onClick={() => void run()}>
      <Icon name="retry" />
      {front ? `Retry #${count(front.sequence)} now` : "Retry now"}
    </button>
  );
}

function CancelDelivery({ id }: { id: string }) {
  const { run } = useAction(async () => {
    await call("post", "/v1/webhooks/{id}/cancel", { path: { id } });
    return "Cancelled. What waited behind it goes on.";
  });
  return (
    <button
      type="button"
      class="btn danger"
      onClick={() => actUnlessUndone("Cancelling in 5 seconds.", () => void run())}
    >
      Cancel
    </button>
  );
}

function ResendDelivery({ id }: { id: string }) {
  const { run, isBusy } = useAction(async () => {
    const resent = await call("post", "/v1/webhooks/{id}/resend", { path: { id } });
    go(linkTo(`/console/deliveries/${resent.id}`));
    return "Sent again. This is the new delivery.";
  });
  return (
    <button type="button" class="btn pri" disabled={isBusy} onClick={() => void run()}>
      <Icon name="retry" />
      Resend
    </button>
  );
}

function Erase({ delivery, onClose }: { delivery: DeliveryDetail; onClose(): void }) {
  const expected = delivery.sequence === null ? delivery.id.slice(-5) : String(delivery.sequence);
  const [typed, setTyped] = useState("");
  const { run, isBusy } = useAction(async () => {
    await call("delete", "/v1/webhooks/{id}/payload", { path: { id: delivery.id } });
    onClose();
    return "The payload is erased.";
  });
  return (
    <Dialog title="Erase the payload?" onClose={onClose}>
      <form
        class="dialog-body form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p>
          Hermod forgets what this delivery carried and what the receiver answered. A waiting delivery is
          cancelled. This can't be undone.
        </p>
        <label>
          Type {expected} to confirm
          <input
            class="input mono"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            autocomplete="off"
          />
        </label>
        <div class="dialog-actions">
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn pri danger-solid" disabled={typed !== expected || isBusy}>
            Erase payload
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The attempt that the URL names, else the last one. */
function chosenAttempt({ attempts }: DeliveryDetail): Attempt | null {
  const wanted = Number(params.value.get("attempt"));
  return attempts.find(({ attempt }) => attempt === wanted) ?? attempts.at(-1) ?? null;
}

function Timeline({ delivery, endpoint }: Both) {
  const { attempts } = delivery;
  const chosen = chosenAttempt(delivery);
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms));
  const schedule = endpoint?.retry_schedule_ms ?? null;
  return (
    <Card
      title="Attempts"
      meta={
        schedule
          ? `${attempts.length} of at most ${schedule.length + 1}`
          : plural(attempts.length, "attempt", "attempts")
      }
    >
      {attempts.length === 0 && (
        <p class="pad dim">
          {delivery.status === "pending" ? "Not attempted yet." : "It was never attempted."}
        </p>
      )}
      <ol class="timeline">
        {attempts.map((attempt, index) => (
          <Step
            key={attempt.attempt}
            attempt={attempt}
            before={attempts[index - 1]}
            isChosen={attempt === chosen}
            longest={longest}
          />
        ))}
        <Upcoming delivery={delivery} schedule={schedule} />
      </ol>
    </Card>
  );
}

type StepProps = { attempt: Attempt; before: Attempt | undefined; isChosen: boolean; longest: number };

function Step({ attempt, before, isChosen, longest }: StepProps) {
  const ok = isSuccess(attempt.status);
  const waited = before && Date.parse(attempt.timestamp) - Date.parse(before.timestamp) - before.duration_ms;
  const word = attempt.status === 0 ? errorWords(attempt.error ?? "no answer") : reasonOf(attempt.status);
  return (
    <>
      {waited !== undefined && waited > 0 && <li class="wait">waited {duration(waited)}</li>}
      <li class={ok ? "step good" : "step"}>
        <span class="mark num" aria-hidden="true">
          {attempt.attempt}
        </span>
        <a
          href={withParams({ attempt: String(attempt.attempt) })}
          class="step-link"
          aria-current={isChosen ? "true" : undefined}
        >
          <span class="sr">Attempt {attempt.attempt}: </span>
          <b class="mono">{attempt.status === 0 ? "none" : attempt.status}</b>
          <span class="trunc grow">{word}</span>
          <span class="took" aria-hidden="true">
            <i style={{ width: `${Math.max(3, (attempt.duration_ms / longest) * 100)}%` }} />
          </span>
          <span class="num">{duration(attempt.duration_ms)}</span>
          <Time at={attempt.timestamp} />
        </a>
      </li>
    </>
  );
}

function Upcoming({ delivery, schedule }: { delivery: DeliveryDetail; schedule: readonly number[] | null }) {
  if (delivery.status !== "pending") return null;
  const waiting = delivery.waiting_for;
  const left = schedule?.slice(delivery.attempt_count) ?? [];
  if (waiting?.reason !== "retry" || delivery.attempts.length === 0) return null;
  return (
    <li class="step soon">
      <span class="mark num" aria-hidden="true">
        {delivery.attempt_count + 1}
      </span>
      <span class="step-link">
        <span>
          in{" "}
          <b>
            <Countdown until={waiting.until} ring={false} />
          </b>
        </span>
        <span class="grow dim">
          at <Time at={waiting.until} />
        </span>
        {left.length > 0 && <span class="faint trunc">then {scheduleWords(left)}</span>}
      </span>
    </li>
  );
}

const EXCHANGE_TABS = [
  ["response", "Response"],
  ["payload", "Payload"],
  ["request", "Request"],
  ["curl", "As curl"],
] as const;

function Exchange({ delivery, endpoint }: Both) {
  const attempt = chosenAttempt(delivery);
  const asked = params.value.get("tab");
  const tab = EXCHANGE_TABS.some(([name]) => name === asked) ? asked : attempt ? "response" : "payload";
  return (
    <Card label="What was sent and answered">
      <div class="list-head">
        <Tabs
          label="Exchange"
          tabs={EXCHANGE_TABS.map(([name, label]) => ({
            label,
            href: withParams({ tab: name }),
            isCurrent: tab === name,
          }))}
        />
        {attempt && (
          <span class="end meta">
            Attempt {attempt.attempt}, <Time at={attempt.timestamp} />
          </span>
        )}
      </div>
      {tab === "response" && <Response attempt={attempt} />}
      {tab === "payload" && <Payload delivery={delivery} />}
      {tab === "request" && <Request delivery={delivery} endpoint={endpoint} attempt={attempt} />}
      {tab === "curl" && endpoint && (
        <Code label="Command" text={curlOf(delivery, endpoint)} note="sends the payload again, unsigned" />
      )}
    </Card>
  );
}

function Response({ attempt }: { attempt: Attempt | null }) {
  if (attempt === null) return <p class="pad dim">There is no answer before the first attempt.</p>;
  const ok = isSuccess(attempt.status);
  return (
    <>
      <div class="pad row wrap answer-head">
        <span class={ok ? "pill ok" : "pill bad"}>{answerOf(attempt)}</span>
        <span class="num">{duration(attempt.duration_ms)}</span>
        <span class="meta">{timingWords(attempt)}</span>
        {attempt.error_detail && <span class="meta">{errorWords(attempt.error_detail)}</span>}
        {attempt.location && (
          <span class="meta">
            redirects to <code>{visible(attempt.location)}</code>, which Hermod does not follow
          </span>
        )}
      </div>
      {attempt.response_headers && <Headers headers={attempt.response_headers} />}
      {attempt.response_body ? (
        <Code label="Body" text={attempt.response_body} note="shown as text; its beginning is kept" />
      ) : (
        <p class="pad dim">
          {attempt.status === 0 ? "The receiver sent no answer." : "The answer has no body."}
        </p>
      )}
    </>
  );
}

/** `connect 9 ms · TLS 14 ms · first byte 23 ms · to 203.0.113.41:443` */
function timingWords({ timing, address }: Attempt): string {
  const parts = [
    [timing?.lookup_ms, "look-up"],
    [timing?.connect_ms, "connect"],
    [timing?.tls_ms, "TLS"],
    [timing?.first_byte_ms, "first byte"],
  ] as const;
  const split = parts.flatMap(([ms, name]) => (typeof ms === "number" ? [`${name} ${duration(ms)}`] : []));
  return [...split, ...(address ? [`to ${address}`] : [])].join(" · ");
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Payload({ delivery }: { delivery: DeliveryDetail }) {
  if (delivery.erased_at)
    return (
      <p class="pad dim">
        The payload was erased <Time at={delivery.erased_at} />.
      </p>
    );
  return <Code label="Payload" text={prettyJson(delivery.data)} isJson />;
}

function Request({ endpoint, attempt }: Both & { attempt: Attempt | null }) {
  if (!attempt?.request_headers) return <p class="pad dim">Nothing was sent{attempt ? "" : " yet"}.</p>;
  return (
    <>
      <div class="pad answer-head">
        <code class="break">POST {visible(endpoint?.url ?? "")}</code>
      </div>
      <Headers headers={attempt.request_headers} />
      <footer>
        <Icon name="lock" small />
        Secret headers are never shown.
      </footer>
    </>
  );
}

function About({ delivery, endpoint }: Both) {
  return (
    <Card title="About this delivery">
      <Facts
        facts={[
          ["Accepted", <Time key="a" at={delivery.created_at} />],
          ["Ended", delivery.completed_at && <Time at={delivery.completed_at} />],
          [
            "Took",
            delivery.completed_at &&
              duration(Date.parse(delivery.completed_at) - Date.parse(delivery.created_at)),
          ],
          [
            "Number",
            delivery.sequence === null
              ? "none: the filter excluded it"
              : `${count(delivery.sequence)} of the endpoint, without gaps`,
          ],
          [
            "Ordering key",
            delivery.ordering_key ? (
              <code>{visible(delivery.ordering_key)}</code>
            ) : endpoint?.ordering === "by_key" ? (
              "none"
            ) : null,
          ],
          ["Order", endpoint && ORDER_WORDS[endpoint.ordering]],
          [
            "Resends",
            delivery.replay_of && (
              <a class="link mono" href={linkTo(`/console/deliveries/${delivery.replay_of}`)}>
                {delivery.replay_of}
              </a>
            ),
          ],
          [
            "Event",
            delivery.of_event && (
              <a class="link mono" href={linkTo(`/console/events/${delivery.of_event}`)}>
                {delivery.of_event}
              </a>
            ),
          ],
          [
            "Same type",
            delivery.event !== null && (
              <a
                class="link"
                href={linkTo("/console/deliveries", {
                  event: delivery.event,
                  endpoint: delivery.endpoint_id,
                })}
              >
                others to this endpoint
              </a>
            ),
          ],
        ]}
      />
    </Card>
  );
}

export const ORDER_WORDS = {
  ordered: "one order for the endpoint",
  by_key: "an order for each key",
  unordered: "none",
} as const;

/** What somebody would write into a ticket. */
function summaryOf(delivery: DeliveryDetail, endpoint: Endpoint | null): string {
  const number = delivery.sequence === null ? "" : `, #${count(delivery.sequence)}`;
  const lines = [
    `${delivery.event ?? "no event type"} (${delivery.id}${number})`,
    `to ${endpoint?.url ?? delivery.endpoint_id}`,
    `${pillWord(delivery)}, accepted ${new Date(delivery.created_at).toISOString()}`,
    ...delivery.attempts.map(
      (each) => `${each.attempt}. ${each.timestamp} ${answerOf(each)}, ${duration(each.duration_ms)}`,
    ),
  ];
  const waiting = delivery.waiting_for;
  if (waiting?.reason === "retry") lines.push(`Next attempt ${moment(Date.parse(waiting.until), now.value)}`);
  return lines.join("\n");
}
