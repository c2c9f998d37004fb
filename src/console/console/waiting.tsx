import type { DeliveryDetail, DeliveryList, Endpoint } from "../../client/types";
import { ask, call } from "../shared/api";
import { count } from "../shared/format";
import { linkTo } from "../shared/location";
import { Countdown, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { answerOf, type Look, nameOf, pendingWords, TROUBLE } from "../shared/words";
import { RetryEndpoint } from "./actions";
import { keyed } from "./data";
import { isNarrow } from "./narrow";

/** An endpoint that holds deliveries back, with the first of them. */
export type Waiting = Readonly<{
  endpoint: Endpoint;
  pending: number;
  first: DeliveryDetail | null;
}>;

/** Most endpoints looked at; those with trouble come first. */
const MOST = 12;

export function isHoldingBack({ health }: Endpoint): boolean {
  return ["failing", "blocked", "disabled"].includes(health.state);
}

/** What waits at endpoints with trouble and at paused ones. */
export function useWaiting(endpoints: readonly Endpoint[] | null): readonly Waiting[] | null {
  const held = (endpoints ?? [])
    .filter(({ health }) => health.state !== "healthy" && health.pending > 0)
    .toSorted((a, b) => TROUBLE.indexOf(a.health.state) - TROUBLE.indexOf(b.health.state))
    .slice(0, MOST);
  const key = endpoints === null ? null : keyed("backlog", ...held.map(({ id }) => id));
  const { data } = useResource(key, () => Promise.all(held.map(waitingAt)), { every: 5_000 });
  return data?.toSorted((a, b) => b.pending - a.pending) ?? null;
}

async function waitingAt(endpoint: Endpoint): Promise<Waiting> {
  return { endpoint, pending: endpoint.health.pending, first: await firstPending(endpoint.id) };
}

async function firstPending(endpointId: string): Promise<DeliveryDetail | null> {
  const query = { endpoint_id: endpointId, status: "pending", iterator: "start", limit: 1 };
  const { data } = (await ask("get", "/v1/webhooks", { query })) as DeliveryList;
  return data[0] ? call("get", "/v1/webhooks/{id}", { path: { id: data[0].id } }) : null;
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
      first && first.sequence !== null ? (
        <a class="link" href={linkTo(`/console/deliveries/${first.id}`)}>
          #{count(first.sequence)}
        </a>
      ) : (
        "–"
      ),
  },
  {
    name: "behind",
    title: "Wait",
    isRight: true,
    cell: ({ pending }) => <b>{pendingWords(pending)}</b>,
  },
  {
    name: "since",
    title: "Since",
    cell: ({ endpoint: { health } }) => <Since at={health.since ?? health.oldest_pending_at} />,
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
  if (!endpoint.is_active)
    return {
      icon: "pause",
      tone: "calm",
      word: endpoint.health.state === "disabled" ? "Switched off" : "Paused",
    };
  const attempts = first?.attempt_count ?? 0;
  return { icon: "clock", tone: "warn", word: `Attempt ${attempts + 1}` };
}

function whyWords({ endpoint }: Waiting): string {
  const { state, last_failure: failure } = endpoint.health;
  if (state === "paused") return "until it is resumed";
  return failure ? `answers ${answerOf(failure)}` : state;
}

function Since({ at }: { at: string | null }) {
  return at === null ? <>–</> : <Time at={at} seconds={false} />;
}

function Next({ first, endpoint }: Pick<Waiting, "first" | "endpoint">) {
  const waiting = first?.waiting_for;
  if (!endpoint.is_active) return <span class="dim">when resumed</span>;
  if (!waiting || !("until" in waiting)) return <span class="dim">now</span>;
  return (
    <span class="state warn">
      <Countdown until={waiting.until} from={first?.attempts.at(-1)?.timestamp ?? null} />
    </span>
  );
}
