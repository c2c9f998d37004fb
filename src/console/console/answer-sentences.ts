import type { Delivery, Endpoint, WaitingFor } from "../../client/types";
import { type Filters, timeWords } from "../pages/delivery-filters";
import { answerOf } from "../shared/answer";
import { count, plural } from "../shared/format";
import { type Sentence, strong } from "../shared/sentence";
import { type Counts, countsOf, countsSentence, outcomesOf } from "./words";

/** A delivery of the list. */
type ShownDelivery = Delivery & { sequence?: number | null; waiting_for?: WaitingFor };

/** The deliveries of a filter, as far as they are known. All that is said of an endpoint follows from these rows. */
export type AnswerFacts = Readonly<{
  rows: readonly ShownDelivery[];
  /** True if no delivery of the filter is missing in the rows. */
  isWhole: boolean;
  /** The counts of the filter, if they are known; of its newest deliveries alone unless exact. */
  counted: Readonly<{ counts: Counts; isExact: boolean }> | null;
  endpoints: readonly Endpoint[];
}>;

/** The delivery that an order waits for, with its attempts so far. */
type HoldingDelivery = Readonly<{
  id: string;
  sequence: number;
  attempts: number;
  /** The last answer's status: 0 without one, null before the first attempt. */
  status: number | null;
  /** Null if its attempt is under way or due. */
  until: string | null;
  /** The number of rows that wait behind it. */
  behind: number;
}>;

/** What the pending rows of one endpoint wait for. */
export type EndpointWait = Readonly<{
  endpoint: Endpoint;
  pending: number;
  /** Rows that wait until the endpoint is active again. */
  held: number;
  /** Rows that are scheduled for later. */
  scheduled: number;
  /** The deliveries that hold back an order until their retry, or until the receiver's rest is over; the next one first. */
  heads: readonly HoldingDelivery[];
}>;

/** Most endpoints that the answer names. */
const NAMED = 2;

/** Says how many deliveries there are by outcome. */
export function countedSentence({ rows, isWhole, counted }: AnswerFacts): string {
  if (isWhole) return countsSentence(countsOf(rows));
  if (counted === null) return `The ${count(rows.length)} shown: ${outcomesOf(countsOf(rows))}.`;
  const sentence = countsSentence(counted.counts);
  return counted.isExact ? sentence : `The newest ${sentence}`;
}

/** Reads what the pending rows wait for, by endpoint; those that a retry or a pause holds back come first. */
export function waitsOf({
  rows,
  endpoints,
}: Pick<AnswerFacts, "rows" | "endpoints">): readonly EndpointWait[] {
  const pending = Map.groupBy(
    rows.filter(({ status }) => status === "pending"),
    ({ endpoint_id }) => endpoint_id,
  );
  const waits = endpoints.flatMap((endpoint) => {
    const own = pending.get(endpoint.id);
    return own ? [waitOf(endpoint, own)] : [];
  });
  return waits.toSorted((a, b) => Number(isHeldBack(b)) - Number(isHeldBack(a)) || b.pending - a.pending);
}

export function isHeldBack({ heads, held }: EndpointWait): boolean {
  return heads.length > 0 || held > 0;
}

function waitOf(endpoint: Endpoint, rows: readonly ShownDelivery[]): EndpointWait {
  const reasonIs = (reason: string) =>
    rows.filter(({ waiting_for }) => waiting_for?.reason === reason).length;
  const heads = [...Map.groupBy(rows.flatMap(headOf), ({ id }) => id).values()].flatMap(mergedHead);
  return {
    endpoint,
    pending: rows.length,
    held: reasonIs("pause"),
    scheduled: reasonIs("scheduled"),
    heads: heads.toSorted((a, b) => (a.until ?? "").localeCompare(b.until ?? "") || a.sequence - b.sequence),
  };
}

/** The head for whose retry, or for whose receiver, a row waits: the row itself, or the delivery in front of it. */
function headOf({
  id,
  sequence,
  attempt_count,
  response_status,
  waiting_for: waiting,
}: ShownDelivery): HoldingDelivery[] {
  const { reason, in_front: front, until = null } = waiting ?? {};
  if (reason === "turn" && front && (front.attempt_count > 0 || front.next_attempt_at !== null)) {
    const { attempt_count: attempts, response_status: status, next_attempt_at: until } = front;
    return [{ id: front.id, sequence: front.sequence, attempts, status, until, behind: 1 }];
  }
  if ((reason === "retry" || reason === "rest") && typeof sequence === "number")
    return [{ id, sequence, attempts: attempt_count, status: response_status, until, behind: 0 }];
  return [];
}

function mergedHead(seen: readonly HoldingDelivery[]): HoldingDelivery[] {
  const [first] = seen;
  return first ? [{ ...first, behind: seen.reduce((sum, { behind }) => sum + behind, 0) }] : [];
}

/** Says what the pending deliveries wait for. */
export function waitSentences(waits: readonly EndpointWait[], isWhole: boolean): readonly Sentence[] {
  const others = waits.slice(NAMED).filter(isHeldBack).length;
  return [
    ...waits.slice(0, NAMED).flatMap((wait) => sentencesOf(wait, isWhole)),
    ...(others > 0
      ? [[`Deliveries to ${plural(others, "other endpoint", "other endpoints")} are held back too.`]]
      : []),
  ];
}

function sentencesOf(wait: EndpointWait, isWhole: boolean): readonly Sentence[] {
  const { endpoint, held, scheduled, heads, pending } = wait;
  const name = { is: "endpoint", endpoint } as const;
  const counted = (number: number, one: string, many: string) =>
    `${isWhole ? "" : "at least "}${plural(number, one, many)}`;
  if (held > 0) return [[name, `: ${counted(held, "waits", "wait")} until the endpoint is resumed.`]];
  const [next] = heads;
  if (!next) {
    const left = pending - scheduled;
    if (left > 0 && endpoint.delivery === "pull")
      return [[name, `: ${counted(left, "waits", "wait")} for the receiver.`]];
    return left === 0 ? [] : [[name, `: sending, ${isWhole ? "" : "at least "}${count(left)} left.`]];
  }
  const behind = next.behind === 0 ? "." : `; ${counted(next.behind, "waits", "wait")} behind it.`;
  if (heads.length === 1) return [[name, ": ", ...nextOf(next), behind]];
  const retried = counted(heads.length, "delivery waits", "deliveries wait");
  return [[name, `: ${retried} for another attempt. First, `, ...nextOf(next), behind]];
}

function nextOf({ id, sequence, attempts, status, until }: HoldingDelivery): Sentence {
  const delivery = { is: "delivery", id, sequence } as const;
  const time = until === null ? "now" : ({ is: "next", until } as const);
  if (attempts === 0) return [delivery, " is sent after the rest that the receiver asked for, ", time];
  const again: Sentence = until === null ? [" is tried again now"] : [" is tried again ", time];
  if (status === 0 || status === null) return [delivery, ", whose last attempt got no answer,", ...again];
  return [delivery, ", last answered ", strong(answerOf({ status, error: null })), ",", ...again];
}

const OUTCOMES: Readonly<Record<string, string>> = { pending: "waiting" };

/** Names all filters, for a text without the page around it: `Deliveries of invoice.paid, today`. */
export function scopeWords(filters: Filters, endpoints: readonly Endpoint[], now: number): string {
  const { event, endpoint, status, answer, error, fields } = filters;
  const url = endpoints.find(({ id }) => id === endpoint)?.url ?? endpoint;
  const parts = [
    url !== null && ` to ${url}`,
    ...fields.map(([name, value], index) => `${index === 0 ? " with" : " and"} ${name} = ${value}`),
    status !== null && `, ${OUTCOMES[status] ?? status}`,
    answer !== null && (answer === "0" ? ", without an answer" : `, answered ${answer}`),
    error !== null && `, with the error ${error}`,
  ];
  const scope = parts.filter((part) => part !== false).join("");
  return `Deliveries of ${event ?? "all events"}${scope}, ${timeWords(filters, now)}`;
}
