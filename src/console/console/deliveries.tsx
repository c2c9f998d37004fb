import { useSignal } from "@preact/signals";
import type { Endpoint } from "../../client/types";
import { type Filters, isFiltered, readFilters } from "../pages/delivery-filters";
import { type DeliveryList, type Row, useDeliveryList } from "../pages/delivery-list";
import { useEndpoints } from "../pages/endpoint-data";
import { FilterSentence } from "../pages/filter-sentence";
import { compact, duration, moment } from "../shared/format";
import { GrowingList } from "../shared/growing-list";
import { Icon } from "../shared/icon";
import { linkTo, params, withParams } from "../shared/location";
import { Card, Empty, Tabs } from "../shared/parts";
import { now } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { AnswerLine } from "./answer-line";
import { ACCEPTED, ANSWER, EVENT, endpointColumn, NUMBER, STATUS, WAITS } from "./delivery-columns";
import { exportCsv } from "./export-csv";
import { Histogram } from "./histogram";
import { ResendFailed, ResendSelected } from "./resend";
import { Page } from "./shell";
import { type Summary, useSummary } from "./summary";
import { WhyEmpty } from "./why-empty";

export function Deliveries() {
  const filters = readFilters(params.value);
  const list = useDeliveryList(filters);
  return (
    <Page crumbs={[{ label: "Deliveries" }]}>
      <h1 class="sr">Deliveries</h1>
      <FilterSentence filters={filters} />
      <AnswerLine filters={filters} list={list} />
      <Histogram filters={filters} />
      <List filters={filters} list={list} />
    </Page>
  );
}

const TABS = [
  ["", "All"],
  ["pending", "Waiting"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const;

function List({ filters, list }: { filters: Filters; list: DeliveryList }) {
  const endpoints = useEndpoints().data;
  const byId = new Map(endpoints?.map((each) => [each.id, each]));
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const summary = useSummary(filters);
  const total = summary?.isExact ? totalOf(summary) : undefined;
  const nothing = <Nothing filters={filters} endpoints={endpoints} total={total} />;
  return (
    <Card label="List of deliveries">
      <div class="list-head">
        <OutcomeTabs filters={filters} summary={summary} />
        <span class="end row">
          {list.error.value === null && (
            <span class="live" title="New deliveries appear by themselves">
              <i />
              Live
            </span>
          )}
          <ResendSelected list={list} selected={selected} />
          {selected.value.size === 0 && <ResendFailed filters={filters} />}
          <button
            type="button"
            class="icon"
            aria-label="Save these rows as CSV"
            title="Save these rows as CSV"
            onClick={() => exportCsv(list.rows.value, byId)}
          >
            <Icon name="export" />
          </button>
        </span>
      </div>
      <GrowingList list={list} nothing={nothing} reach={<Reach list={list} />}>
        <Rows list={list} byId={byId} selected={selected} />
      </GrowingList>
    </Card>
  );
}

function totalOf({ counts: { pending, delivered, failed, cancelled } }: Summary): number {
  return pending + delivered + failed + cancelled;
}

function OutcomeTabs({ filters, summary }: { filters: Filters; summary: Summary | null }) {
  const numbers = summary ? { ...summary.counts, "": totalOf(summary) } : null;
  return (
    <Tabs
      label="Outcome"
      tabs={TABS.map(([status, label]) => ({
        label,
        href: withParams({ status: status || null }),
        count: numbers ? `${compact(numbers[status])}${summary?.isExact ? "" : "+"}` : undefined,
        isCurrent: (filters.status ?? "") === status,
      }))}
    />
  );
}

type NothingProps = {
  filters: Filters;
  endpoints: readonly Endpoint[] | null;
  /** The deliveries ever accepted, if they are known. Those that have ended are kept for a limited time. */
  total: number | undefined;
};

function Nothing({ filters, endpoints, total }: NothingProps) {
  if (isFiltered(filters)) return <WhyEmpty filters={filters} />;
  if (total !== 0) return <Empty title="No deliveries are kept" />;
  return (
    <Empty title="No deliveries yet">
      <p>
        {endpoints?.length === 0
          ? "First, tell Hermod where to deliver. "
          : "Send an event, and it shows here. "}
        <a class="link" href={linkTo("/console")}>
          The overview has the steps.
        </a>
      </p>
    </Empty>
  );
}

type RowsProps = {
  list: DeliveryList;
  byId: ReadonlyMap<string, Endpoint>;
  selected: { value: ReadonlySet<string> };
};

function Rows({ list, byId, selected }: RowsProps) {
  const rows = list.rows.value;
  const hasNumbers = rows.some(({ sequence }) => typeof sequence === "number");
  const columns = columnsOf({ list, byId, selected }).filter(({ name }) => name !== "number" || hasNumbers);
  return (
    <Table
      label="Deliveries, newest first"
      look={hasNumbers ? "deliveries numbered" : "deliveries"}
      columns={columns}
      items={rows}
      keyOf={({ id }) => id}
      isSelected={({ id }) => selected.value.has(id)}
      hasMore={list.cursor.value !== null}
      onEnd={() => void list.more()}
    />
  );
}

/** The row that was selected last, from which a click with Shift selects. */
let lastSelected: string | null = null;

/** Returns the selection after a click on a row's box; with Shift, on all rows from the last one. */
function selectionAfter(
  rows: readonly Row[],
  selected: ReadonlySet<string>,
  id: string,
  isRange: boolean,
): ReadonlySet<string> {
  const ids = rows.map((row) => row.id);
  const ends = [isRange ? ids.indexOf(lastSelected ?? id) : -1, ids.indexOf(id)].toSorted((a, b) => a - b);
  const [from = -1, to = -1] = ends;
  lastSelected = id;
  const clicked = from === -1 ? [id] : ids.slice(from, to + 1);
  return selected.has(id) ? selected.difference(new Set(clicked)) : selected.union(new Set(clicked));
}

function columnsOf({ list, byId, selected }: RowsProps): readonly Column<Row>[] {
  return [
    {
      name: "check",
      title: "Select",
      isTitleHidden: true,
      cell: ({ id, event }) => (
        <input
          type="checkbox"
          checked={selected.value.has(id)}
          onClick={({ shiftKey }) => {
            selected.value = selectionAfter(list.rows.value, selected.value, id, shiftKey);
          }}
          aria-label={`Select ${event ?? "delivery"} ${id}`}
        />
      ),
    },
    STATUS,
    EVENT,
    endpointColumn(byId),
    NUMBER,
    ANSWER,
    { name: "attempts", title: "Attempts", isRight: true, cell: ({ attempt_count }) => attempt_count },
    WAITS,
    ACCEPTED,
  ];
}

/** Shows how far back the list reaches. */
function Reach({ list }: { list: DeliveryList }) {
  const oldest = list.rows.value.at(-1)?.created_at;
  return oldest ? <span class="meta">Shown {lookedWords(oldest, now.value)}</span> : null;
}

/** How far back the rows of a list go. */
function lookedWords(oldest: string, now: number): string {
  return `to ${moment(Date.parse(oldest), now)}, ${duration(now - Date.parse(oldest))} ago`;
}
