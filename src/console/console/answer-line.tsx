import type { Attempt, Endpoint } from "../../client/types";
import { RetryEndpoint } from "../pages/actions";
import { type Filters, timeWords } from "../pages/delivery-filters";
import type { DeliveryList, Row } from "../pages/delivery-list";
import { useEndpoints } from "../pages/endpoint-data";
import { keyed } from "../shared/access";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, moment, plural, shownZone } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { byTrouble } from "../shared/look";
import { Countdown, copyText, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { useSummary } from "./summary";
import { type Counts, countsOf, countsSentence } from "./words";

/** The answer to the filters of a list, in sentences. */
export function AnswerLine({ filters, list }: { filters: Filters; list: DeliveryList }) {
  const endpoints = useEndpoints().data ?? [];
  const summary = useSummary(filters);
  const rows = list.rows.value;
  if (!list.isLoaded.value || rows.length === 0) return null;
  const shown = countsOf(rows);
  const isWhole = list.cursor.value === null;
  const isAnyOutcome = filters.status === null;
  const counts = isWhole ? shown : isAnyOutcome ? (summary?.counts ?? null) : null;
  const isExact = isWhole || summary?.isExact === true;
  const troubled = troubleIn(rows, endpoints);
  const named = troubled.slice(0, NAMED);
  const sentence = counts
    ? `${isExact ? "" : "At least "}${countsSentence(counts)}`
    : `The newest ${count(rows.length)}: ${withoutTotal(shown)}`;
  const tone = troubled.length > 0 ? "warn" : shown.failed > 0 ? "bad" : "calm";
  return (
    <div class={`note ${tone}`}>
      <Icon name={{ warn: "clock", bad: "alert", calm: "check" }[tone]} />
      <div class="answer">
        <p>
          <strong>{sentence}</strong>
          {named.map(({ endpoint, first }) => (
            <Trouble key={endpoint.id} endpoint={endpoint} first={first} />
          ))}
          {troubled.length > NAMED && <Others number={troubled.length - NAMED} />}
        </p>
      </div>
      <span class="row end">
        <button
          type="button"
          class="btn sm"
          onClick={() => void copyText(replyText(filters, sentence, named), "The reply is copied.")}
        >
          <Icon name="copy" small />
          Copy as reply
        </button>
        {troubled[0] && troubled.length === 1 && <RetryEndpoint endpoint={troubled[0].endpoint} isSmall />}
      </span>
    </div>
  );
}

function withoutTotal(counts: Counts): string {
  return countsSentence(counts).replace(/^[^:,]+[:,] /, "");
}

type Troubled = Readonly<{ endpoint: Endpoint; first: Row | undefined }>;

/** Most endpoints that the answer names. */
const NAMED = 2;

/** The endpoints of the list that hold deliveries back. */
function troubleIn(rows: readonly Row[], endpoints: readonly Endpoint[]): readonly Troubled[] {
  const listed = new Set(rows.map(({ endpoint_id }) => endpoint_id));
  return endpoints
    .filter(({ id, health }) => listed.has(id) && health.state !== "healthy")
    .map((endpoint) => ({
      endpoint,
      first: rows.findLast((row) => row.endpoint_id === endpoint.id && row.status === "pending"),
    }))
    .toSorted(
      (a, b) =>
        Number(b.first !== undefined) - Number(a.first !== undefined) || byTrouble(a.endpoint, b.endpoint),
    );
}

function Others({ number }: { number: number }) {
  return (
    <>
      {" "}
      <a class="link" href={linkTo("/console/endpoints")}>
        {plural(number, "other endpoint", "other endpoints")}
      </a>{" "}
      {number === 1 ? "is" : "are"} failing, switched off or paused too.
    </>
  );
}

/** `has answered` 503, or `has failed with` a refused connection. */
function pastWords({ status }: Pick<Attempt, "status">): string {
  return status === 0 ? "has failed with" : "has answered";
}

function Trouble({ endpoint, first }: Troubled) {
  const { health } = endpoint;
  return (
    <>
      {" "}
      <a class="link" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
        {visible(nameOf(endpoint))}
      </a>{" "}
      {health.state === "paused"
        ? "is paused"
        : health.state === "disabled"
          ? "is switched off"
          : health.last_failure && `${pastWords(health.last_failure)} `}
      {health.last_failure && !["paused", "disabled"].includes(health.state) && (
        <strong>{answerOf(health.last_failure)}</strong>
      )}
      {health.since && (
        <>
          {" since "}
          <Time at={health.since} />
        </>
      )}
      .{first && <Next id={first.id} />}
    </>
  );
}

/** The time of the next attempt of the first delivery in the order. */
function Next({ id }: { id: string }) {
  const { data } = useResource(
    keyed("delivery", id),
    () => call("get", "/v1/webhooks/{id}", { path: { id } }),
    { every: 5_000 },
  );
  const waiting = data?.waiting_for;
  if (!data || !waiting) return null;
  const ahead = waiting.reason === "turn" ? waiting.in_front : null;
  const until = ahead ? ahead.next_attempt_at : waiting.reason === "retry" ? (waiting.until ?? null) : null;
  const number = ahead?.sequence ?? data.sequence;
  if (until === null || number === null) return null;
  return (
    <>
      {" It is tried again in "}
      <strong>
        <Countdown until={until} ring={false} />
      </strong>
      {" with "}
      <a class="link num" href={linkTo(`/console/deliveries/${ahead?.id ?? id}`)}>
        #{count(number)}
      </a>
      ; what waits behind it follows in order.
    </>
  );
}

/** Returns a reply for the customer in plain text, without Hermod's terms. */
function replyText(filters: Filters, sentence: string, troubled: readonly Troubled[]): string {
  const lines = [`${filters.event ?? "All events"}, ${timeWords(filters, now.value)}: ${sentence}`];
  for (const { endpoint, first } of troubled) {
    const { last_failure: failure, since, state } = endpoint.health;
    if (failure && since && state !== "paused")
      lines.push(
        `${endpoint.url} ${pastWords(failure)} ${answerOf(failure)} since ${moment(Date.parse(since), now.value)}.`,
      );
    const until = endpoint.is_active ? "the server answers with 2xx" : "the endpoint is resumed";
    if (first) lines.push(`What waits is kept, and follows in order as soon as ${until}.`);
  }
  lines.push(`Times are in ${shownZone.value}.`);
  return lines.join("\n");
}
