import type { Delivery, Endpoint } from "../../client/types";
import type { Filters } from "../pages/delivery-filters";
import { useEndpoints } from "../pages/endpoint-data";
import { eventsOf } from "../pages/endpoint-lead";
import { keyed } from "../shared/access";
import { nameOf } from "../shared/endpoint-name";
import { clearParams, linkTo, withParams } from "../shared/location";
import { Empty, Skeleton, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { newestOf } from "./summary";

type Without = Readonly<{ name: string; without: Filters; change: Record<string, null>; newest: Delivery }>;

/** Finds the reason for an empty list by reading it without each filter in turn. */
export function WhyEmpty({ filters }: { filters: Filters }) {
  const { data } = useResource(keyed("why", JSON.stringify(filters)), () => withoutEach(filters));
  const endpoints = useEndpoints().data ?? [];
  const endpoint = endpoints.find(({ id }) => id === filters.endpoint);
  if (data === null) return <Skeleton rows={4} />;
  return (
    <Empty title={titleOf(filters)}>
      <WholeType event={filters.event} />
      {endpoint && filters.event !== null && !wants(endpoint, filters.event) && (
        <p>
          {visible(nameOf(endpoint))} does not take this event. It takes{" "}
          {visible(eventsOf(endpoint).join(", "))}.{" "}
          <a class="link" href={linkTo(`/console/endpoints/${endpoint.id}`)}>
            Look at its filter
          </a>
        </p>
      )}
      {data.found.map(({ name, change, newest }) => (
        <p key={name}>
          {name} the newest was accepted <Time at={newest.created_at} />.{" "}
          <a class="link" href={withParams(change)}>
            Show
          </a>
        </p>
      ))}
      {data.isNone && <p>Without any single one of the filters there is none either.</p>}
      <button type="button" class="btn" onClick={clearParams}>
        Remove all filters
      </button>
    </Empty>
  );
}

/** Explains why a pattern such as `invoice.*` finds nothing. */
export function WholeType({ event }: { event: string | null }) {
  if (!event?.includes("*")) return null;
  return <p>A list is of one event type: write it in full, without *.</p>;
}

function titleOf(filters: Filters): string {
  const outcome = filters.status === "pending" ? "waiting " : filters.status ? `${filters.status} ` : "";
  return filters.event === null
    ? `No ${outcome}deliveries here`
    : `No ${outcome}${visible(filters.event)} here`;
}

/** `isNone` is true if leaving out any one filter finds nothing. */
async function withoutEach(filters: Filters): Promise<{ found: readonly Without[]; isNone: boolean }> {
  const found: Without[] = [];
  let isNone = true;
  const tries: readonly (readonly [string, Filters, Record<string, null>])[] = [
    [
      "At any time,",
      { ...filters, time: null, after: null, before: null },
      { time: null, after: null, before: null },
    ],
    ["With any outcome,", { ...filters, status: null }, { status: null }],
    ["To all endpoints,", { ...filters, endpoint: null }, { endpoint: null }],
    ["Of all events,", { ...filters, event: null }, { event: null }],
    ["With any answer,", { ...filters, answer: null }, { response_status: null }],
    ["With any error,", { ...filters, error: null }, { error: null }],
    ["With any ordering key,", { ...filters, key: null }, { ordering_key: null }],
    ["With any number,", { ...filters, sequence: null }, { sequence: null }],
    ...filters.fields.map(
      ([field], index) =>
        [
          `With any ${visible(field)},`,
          { ...filters, fields: filters.fields.toSpliced(index, 1) },
          { [`data.${field}`]: null },
        ] as const,
    ),
  ];
  for (const [name, without, change] of tries) {
    if (JSON.stringify(without) === JSON.stringify(filters)) continue;
    const newest = await newestOf(without);
    isNone &&= newest === null;
    if (newest) found.push({ name, without, change, newest });
  }
  return { found, isNone };
}

function wants({ event_types }: Endpoint, event: string): boolean {
  return event_types.some(
    (pattern) =>
      pattern === "*" ||
      pattern === event ||
      (pattern.endsWith(".*") && event.startsWith(pattern.slice(0, -1))),
  );
}
