import type { Attempt, DeliveryDetail } from "../../client/types";
import { can } from "../shared/access";
import { answerOf, errorWords, isGood } from "../shared/answer";
import { Code, prettyJson } from "../shared/code";
import { forgeryWords } from "../shared/endpoint-test";
import { duration } from "../shared/format";
import { Icon } from "../shared/icon";
import { params, withParams } from "../shared/location";
import { Card, Tabs, Time } from "../shared/parts";
import { type PartTexts, partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { curlOf } from "./curl";
import { type Both, chosenAttempt } from "./timeline";

type ExchangeTab = keyof PartTexts["exchangeTabs"];

/** The tabs that the session may open. Without payloads there is neither a request nor a command. */
function tabsOf({ endpoint }: Both): readonly ExchangeTab[] {
  if (!can("view_payloads")) return ["response", "payload"];
  return endpoint ? ["response", "payload", "request", "curl"] : ["response", "payload", "request"];
}

/** Shows the request and the answer of the attempt in the URL. */
export function Exchange(both: Both) {
  const t = partTexts.value;
  const attempt = chosenAttempt(both.delivery);
  const tabs = tabsOf(both);
  const asked = tabs.find((each) => each === params.value.get("tab"));
  const tab = asked ?? (attempt ? "response" : "payload");
  return (
    <Card label={t.exchange}>
      <div class="list-head">
        <Tabs
          label={t.exchange}
          tabs={tabs.map((name) => ({
            label: t.exchangeTabs[name],
            href: withParams({ tab: name }),
            isCurrent: tab === name,
          }))}
        />
        {attempt && (
          <span class="end meta">
            {t.attemptNumber(attempt.attempt)}, <Time at={attempt.timestamp} />
          </span>
        )}
      </div>
      <Shown tab={tab} attempt={attempt} {...both} />
    </Card>
  );
}

function Shown({ tab, attempt, delivery, endpoint }: Both & { tab: ExchangeTab; attempt: Attempt | null }) {
  const t = partTexts.value;
  const words = forgeryWords(delivery);
  switch (tab) {
    case "response":
      return (
        <>
          {words !== "" && <p class="pad">{words}</p>}
          <Response attempt={attempt} />
        </>
      );
    case "payload":
      return <Payload delivery={delivery} />;
    case "request":
      return <Request url={endpoint?.url ?? ""} headers={attempt?.request_headers ?? null} />;
    case "curl":
      return endpoint?.url ? (
        <Code label={t.command} text={curlOf(delivery, endpoint, endpoint.url)} note={t.commandNote} />
      ) : null;
  }
}

function Response({ attempt }: { attempt: Attempt | null }) {
  const t = partTexts.value;
  if (attempt === null) return <p class="pad dim">{t.noAnswerYet}</p>;
  return (
    <>
      <div class="pad row wrap answer-head">
        <span class={isGood(attempt) ? "pill ok" : "pill bad"}>{answerOf(attempt)}</span>
        <span class="num">{duration(attempt.duration_ms)}</span>
        <span class="meta">{timingWords(attempt)}</span>
        {attempt.batch && (
          <span class="meta">{t.sharedRequest(attempt.batch.size, attempt.batch.first_sequence)}</span>
        )}
        {attempt.error_detail && <span class="meta">{errorWords(attempt.error_detail)}</span>}
        {attempt.location && <span class="meta">{t.redirectsTo(visible(attempt.location))}</span>}
      </div>
      {attempt.response_headers && <Headers headers={attempt.response_headers} />}
      {attempt.response_body ? (
        <Code label={t.answerBody} text={attempt.response_body} note={t.answerNote} />
      ) : (
        can("view_payloads") && <p class="pad dim">{attempt.status === 0 ? t.sentNoAnswer : t.emptyAnswer}</p>
      )}
    </>
  );
}

/** `connect 9 ms · TLS 14 ms · first byte 23 ms · 203.0.113.41:443` */
function timingWords({ timing, address }: Attempt): string {
  const names = Object.entries(partTexts.value.timing);
  const split = names.flatMap(([name, word]) => {
    const ms = timing?.[name as keyof PartTexts["timing"]];
    return typeof ms === "number" ? [`${word} ${duration(ms)}`] : [];
  });
  return [...split, ...(address ? [address] : [])].join(" · ");
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
  const t = partTexts.value;
  if (!can("view_payloads")) return <p class="pad dim">{t.noPayload}</p>;
  if (delivery.erased_at)
    return (
      <p class="pad dim">
        {t.erasedAt} <Time at={delivery.erased_at} />.
      </p>
    );
  return <Code label={t.payload} text={prettyJson(delivery.data)} isJson />;
}

function Request({ url, headers }: { url: string; headers: Readonly<Record<string, string>> | null }) {
  const t = partTexts.value;
  if (!headers) return <p class="pad dim">{t.nothingSent}</p>;
  return (
    <>
      <div class="pad answer-head">
        <code class="break">POST {visible(url)}</code>
      </div>
      <Headers headers={headers} />
      <footer>
        <Icon name="lock" small />
        {t.secretsHidden}
      </footer>
    </>
  );
}
