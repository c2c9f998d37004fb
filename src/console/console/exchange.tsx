import type { Attempt, DeliveryDetail, Endpoint } from "../../client/types";
import { answerOf, errorWords, isGood, reasonOf } from "../shared/answer";
import { Code, prettyJson } from "../shared/code";
import { forgeryWords } from "../shared/endpoint-test";
import { duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { params, withParams } from "../shared/location";
import { Card, Countdown, Tabs, Time } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { curlOf } from "./curl";
import { attemptsWords, scheduleWords } from "./words";

// Shows the attempts of a delivery as a timeline, and beside it the request and the answer of the attempt in the URL.

/** A delivery and its endpoint; null until the endpoint is loaded, and if it is deleted. */
export type Both = Readonly<{ delivery: DeliveryDetail; endpoint: Endpoint | null }>;

/** Returns the attempt in the URL, or the last one. */
function chosenAttempt({ attempts }: DeliveryDetail): Attempt | null {
  const wanted = Number(params.value.get("attempt"));
  return attempts.find(({ attempt }) => attempt === wanted) ?? attempts.at(-1) ?? null;
}

export function Timeline({ delivery, endpoint }: Both) {
  const { attempts } = delivery;
  const chosen = chosenAttempt(delivery);
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms));
  const schedule = endpoint?.retry_schedule_ms ?? null;
  return (
    <Card title="Attempts" meta={attemptsWords(delivery, endpoint)}>
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
  const ok = isGood(attempt);
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
  if (waiting?.reason !== "retry" || !waiting.until || delivery.attempts.length === 0) return null;
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

export function Exchange({ delivery, endpoint }: Both) {
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
      {tab === "response" && forgeryWords(delivery) !== "" && <p class="pad">{forgeryWords(delivery)}</p>}
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
  const ok = isGood(attempt);
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
