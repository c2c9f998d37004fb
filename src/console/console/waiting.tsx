import type { components } from "../../client/openapi";
import type { Endpoint } from "../../client/types";
import { RetryEndpoint } from "../pages/actions";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { addressOf, nameOf } from "../shared/endpoint-name";
import { count, pendingWords } from "../shared/format";
import { linkTo } from "../shared/location";
import { byTrouble, type Look } from "../shared/look";
import { Countdown, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { can } from "./session";
import { isUnderWay, lookOf, sendingWords, whyWords } from "./words";

type Backlog = components["schemas"]["Backlog"];

/** An endpoint with pending deliveries, and the first one. */
export type Waiting = Readonly<{
  endpoint: Endpoint;
  pending: number;
  late: boolean;
  first: Backlog["head"];
  since: string;
}>;

/** Most endpoints that are read. */
const MOST = 100;

/** The endpoints with pending deliveries; null until they are read, and if the session may not see them. */
export function useBacklog() {
  const { data } = useResource(
    can("webhooks:read") ? keyed("backlog") : null,
    async () => {
      const { data, cursor } = await call("get", "/v1/backlog", { query: { limit: MOST } });
      return { items: data, isComplete: cursor === null };
    },
    { every: 4_000 },
  );
  return data;
}

/** The endpoints whose first delivery is late, or waits for more than its attempt; those with most trouble first. */
export function waitingIn(
  backlog: { items: readonly Backlog[] } | null,
  endpoints: readonly Endpoint[] | null,
): readonly Waiting[] {
  const byId = new Map(endpoints?.map((each) => [each.id, each]));
  const waiting = backlog?.items.flatMap(({ endpoint_id, head, ...rest }) => {
    const endpoint = byId.get(endpoint_id);
    return endpoint && (rest.late || !isUnderWay(head)) ? [{ endpoint, first: head, ...rest }] : [];
  });
  return (waiting ?? []).toSorted(
    (a, b) => Number(b.late) - Number(a.late) || byTrouble(a.endpoint, b.endpoint) || b.pending - a.pending,
  );
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
        <small class="mono trunc">{visible(addressOf(endpoint).replace(/^https?:\/\//, ""))}</small>
      </span>
    ),
  },
  {
    name: "waits",
    title: "Waits for",
    cell: (waiting) => (
      <span class="two">
        <State look={lookOfWait(waiting)} />
        <small class="trunc">{whyWords(waiting.first)}</small>
      </span>
    ),
  },
  {
    name: "first",
    title: "First waiting",
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
    cell: ({ since }) => <Time at={since} seconds={false} />,
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
      heights={[56, 132]}
    />
  );
}

function lookOfWait({ endpoint, first, pending }: Waiting): Look {
  const { state } = endpoint.health;
  if (!endpoint.is_active)
    return { icon: "pause", tone: "calm", word: state === "disabled" ? "Switched off" : "Paused" };
  if (first.waiting_for?.reason === "retry")
    return { icon: "clock", tone: "warn", word: `Attempt ${first.attempt_count + 1}` };
  if (isUnderWay(first)) return { icon: "send", tone: "accent", word: sendingWords(pending) };
  return lookOf(first);
}

function Next({ first, endpoint }: Pick<Waiting, "first" | "endpoint">) {
  const waiting = first.waiting_for;
  if (!endpoint.is_active) return <span class="dim">when resumed</span>;
  if (isUnderWay(first)) return <span class="dim">now</span>;
  if (waiting?.reason === "receiver") return <span class="dim">when it is read</span>;
  if (!waiting?.until) return <span class="dim">when there is room</span>;
  return (
    <span class="state warn">
      <Countdown until={waiting.until} />
    </span>
  );
}
