import type { components } from "../../client/openapi";
import type { Endpoint } from "../../client/types";
import { RetryEndpoint } from "../pages/actions";
import { keyed } from "../shared/access";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { count, pendingWords } from "../shared/format";
import { linkTo } from "../shared/location";
import { byTrouble, LATE_MS, type Look } from "../shared/look";
import { Countdown, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { isNarrow } from "./narrow";
import { can } from "./session";
import { lookOf, rateWords, waitWords } from "./words";

type Backlog = components["schemas"]["Backlog"];

/** An endpoint with pending deliveries, and the first one. */
export type Waiting = Readonly<{
  endpoint: Endpoint;
  pending: number;
  first: Backlog["head"];
  since: string;
}>;

/** Most endpoints that are read. */
const MOST = 50;

export function isHoldingBack({ health }: Endpoint): boolean {
  return ["failing", "blocked", "disabled"].includes(health.state);
}

/** The endpoints with late deliveries, those with most trouble first. */
export function useWaiting(endpoints: readonly Endpoint[] | null): readonly Waiting[] | null {
  const { data } = useResource(
    can("webhooks:read") ? keyed("backlog") : null,
    async () => (await call("get", "/v1/backlog", { query: { limit: MOST } })).data,
    { every: 4_000 },
  );
  if (!data || !endpoints) return null;
  const byId = new Map(endpoints.map((each) => [each.id, each]));
  return data
    .flatMap(({ endpoint_id, head, pending, since }) => {
      const endpoint = byId.get(endpoint_id);
      return endpoint && isLate(head, since) ? [{ endpoint, pending, first: head, since }] : [];
    })
    .toSorted((a, b) => byTrouble(a.endpoint, b.endpoint) || b.pending - a.pending);
}

function isLate(head: Backlog["head"], since: string): boolean {
  const isUnderWay = !head.waiting_for || head.waiting_for.reason === "attempt";
  return !isUnderWay || now.value - Date.parse(since) > LATE_MS;
}

const COLUMNS: readonly Column<Waiting>[] = [
  {
    name: "name",
    title: "Endpoint",
    cell: ({ endpoint }) => (
      <span class="two">
        <a class="row-link strong trunc" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
          {visible(nameOf(endpoint))}
        </a>
        <small class="mono trunc">{visible(endpoint.url.replace(/^https?:\/\//, ""))}</small>
      </span>
    ),
  },
  {
    name: "waits",
    title: "Waits for",
    cell: (waiting) => (
      <span class="two">
        <State look={lookOfWait(waiting)} />
        <small class="trunc">{whyWords(waiting)}</small>
      </span>
    ),
  },
  {
    name: "first",
    title: "First in order",
    isRight: true,
    cell: ({ first }) =>
      first.sequence !== null ? (
        <a class="link" href={linkTo(`/console/deliveries/${first.id}`)}>
          #{count(first.sequence)}
        </a>
      ) : (
        "–"
      ),
  },
  {
    name: "behind",
    title: "Waiting",
    isRight: true,
    cell: ({ pending }) => <b>{pendingWords(pending)}</b>,
  },
  {
    name: "since",
    title: "Since",
    cell: ({ endpoint: { health }, since }) => <Time at={health.since ?? since} seconds={false} />,
  },
  {
    name: "next",
    title: "Next attempt",
    cell: ({ first, endpoint }) => <Next first={first} endpoint={endpoint} />,
  },
  {
    name: "act",
    title: "Action",
    isTitleHidden: true,
    isRight: true,
    cell: ({ endpoint }) => <RetryEndpoint endpoint={endpoint} isSmall isQuiet />,
  },
];

export function WaitingTable({ waiting }: { waiting: readonly Waiting[] }) {
  return (
    <Table
      label="What waits, and why"
      look="waiting"
      columns={COLUMNS}
      items={waiting}
      keyOf={({ endpoint }) => endpoint.id}
      rowHeight={isNarrow.value ? 132 : 56}
    />
  );
}

function lookOfWait({ endpoint, first }: Waiting): Look {
  const { state } = endpoint.health;
  if (!endpoint.is_active)
    return { icon: "pause", tone: "calm", word: state === "disabled" ? "Switched off" : "Paused" };
  if (first.waiting_for?.reason === "retry")
    return { icon: "clock", tone: "warn", word: `Attempt ${first.attempt_count + 1}` };
  return lookOf(first);
}

function whyWords({ endpoint, first }: Waiting): string {
  const { state, last_failure: failure } = endpoint.health;
  if (state === "paused") return "until it is resumed";
  if (first.waiting_for?.reason === "rate_limit") return rateWords(first.waiting_for.rate_limit ?? 1);
  if (!failure || state === "healthy") return waitWords(first.waiting_for);
  return failure.status === 0 ? answerOf(failure) : `answers ${answerOf(failure)}`;
}

function Next({ first, endpoint }: Pick<Waiting, "first" | "endpoint">) {
  const waiting = first.waiting_for;
  if (!endpoint.is_active) return <span class="dim">when resumed</span>;
  if (!waiting?.until) return <span class="dim">now</span>;
  return (
    <span class="state warn">
      <Countdown until={waiting.until} />
    </span>
  );
}
