import type { Account, AccountDelivery, AccountEvent } from "../../client/types";
import { type Filters, queryOf, readFilters } from "../pages/delivery-filters";
import { EventChoice, OutcomeChoice, TimeChoice } from "../pages/filter-choices";
import { call } from "../shared/api";
import { Choice } from "../shared/choice";
import { count, plural } from "../shared/format";
import { OlderButton } from "../shared/growing-list";
import { type LiveList, PAGE, useLiveList } from "../shared/live-list";
import { linkTo, params, setParams, withParams } from "../shared/location";
import { Card, Empty, Problem, Skeleton, Tabs, Time } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { useAccounts } from "./data";
import { ACCEPTED, ANSWER, STATUS } from "./delivery-columns";
import { Page } from "./shell";
import { WholeType } from "./why-empty";

/** Deliveries and events of all accounts, kept current. A row leads to its account. */
export function AllAccounts() {
  const filters = readFilters(params.value);
  const customer = params.value.get("of");
  const isEvents = params.value.get("tab") === "events";
  return (
    <Page crumbs={[{ label: "All accounts" }]}>
      <h1 class="sr">All accounts</h1>
      <Sentence filters={filters} customer={customer} isEvents={isEvents} />
      <Card label="List">
        <div class="list-head">
          <Tabs
            label="Kind"
            tabs={[
              { label: "Deliveries", href: withParams({ tab: null }), isCurrent: !isEvents },
              { label: "Events", href: withParams({ tab: "events" }), isCurrent: isEvents },
            ]}
          />
          <span class="end live" title="What is new appears by itself">
            <i />
            Live
          </span>
        </div>
        {isEvents ? (
          <Events filters={filters} customer={customer} />
        ) : (
          <Deliveries filters={filters} customer={customer} />
        )}
      </Card>
    </Page>
  );
}

type Asked = { filters: Filters; customer: string | null };

function Sentence({ filters, customer, isEvents }: Asked & { isEvents: boolean }) {
  const accounts = useAccounts().data ?? [];
  const chosen = accounts.find(({ id }) => id === customer);
  return (
    <div class="sentence" role="search" aria-label="Filters">
      <EventChoice filters={filters} types={[]} takesText />
      <span>of</span>
      <Choice
        name="Of account"
        value={customer ?? ""}
        shown={customer === null ? "all accounts" : visible(chosen?.name ?? customer)}
        options={[
          { value: "", label: "all accounts" },
          ...accounts.map(({ id, name, external_id }) => ({
            value: id,
            label: name,
            detail: external_id ?? undefined,
          })),
        ]}
        onChoose={(id) => setParams({ of: id }, { replace: false })}
      />
      <span>accepted</span>
      <TimeChoice filters={filters} />
      {!isEvents && (
        <>
          <span>with</span>
          <OutcomeChoice filters={filters} />
        </>
      )}
    </div>
  );
}

function Deliveries({ filters, customer }: Asked) {
  const list = useLiveList(JSON.stringify(["deliveries", filters, customer]), (cursor) =>
    call("get", "/v1/admin/deliveries", {
      query: { ...queryOf(filters, serverNow()), account: customer ?? undefined, limit: PAGE, cursor },
    }),
  );
  const columns: readonly Column<AccountDelivery>[] = [
    STATUS,
    {
      name: "event",
      title: "Event",
      cell: ({ id, event, account_id }) => (
        <RowLink href={`/console/deliveries/${id}`} account={account_id} event={event} />
      ),
    },
    accountColumn(useAccounts().data),
    ANSWER,
    ACCEPTED,
  ];
  return (
    <Listed list={list} label="Deliveries of all accounts, newest first" look="everybody" columns={columns} />
  );
}

function Events({ filters, customer }: Asked) {
  const { event_type, after, before } = queryOf(filters, serverNow());
  const list = useLiveList(JSON.stringify(["events", filters, customer]), (cursor) =>
    call("get", "/v1/admin/events", {
      query: { event_type, after, before, account: customer ?? undefined, limit: PAGE, cursor },
    }),
  );
  const columns: readonly Column<AccountEvent>[] = [
    {
      name: "event",
      title: "Event",
      cell: ({ id, event, account_id }) => (
        <RowLink href={`/console/events/${id}`} account={account_id} event={event} />
      ),
    },
    accountColumn(useAccounts().data),
    {
      name: "status",
      title: "Deliveries",
      cell: ({ delivery_count: deliveries }) => plural(deliveries, "delivery", "deliveries"),
    },
    { name: "time", title: "Sent", isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return <Listed list={list} label="Events of all accounts, newest first" look="events" columns={columns} />;
}

function RowLink({ href, account, event }: { href: string; account: string; event: string | null }) {
  return (
    <a class="row-link strong trunc" href={linkTo(href, { account })}>
      {visible(event ?? "no event type")}
    </a>
  );
}

function accountColumn(accounts: readonly Account[] | null): Column<{ account_id: string }> {
  const names = new Map(accounts?.map(({ id, name }) => [id, name]));
  return {
    name: "endpoint",
    title: "Account",
    cell: ({ account_id }) => <span class="trunc">{visible(names.get(account_id) ?? account_id)}</span>,
  };
}

type ListedProps<T extends { id: string }> = {
  list: LiveList<T>;
  label: string;
  look: string;
  columns: readonly Column<T>[];
};

function Listed<T extends { id: string }>({ list, label, look, columns }: ListedProps<T>) {
  const { rows, fresh, cursor, error, isLoaded } = list;
  return (
    <>
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      {fresh.value.length > 0 && (
        <button type="button" class="fresh" onClick={() => list.showFresh()}>
          {count(fresh.value.length)} new
        </button>
      )}
      {!isLoaded.value && error.value === null && <Skeleton rows={12} />}
      {isLoaded.value && rows.value.length === 0 && !list.isBusy.value && (
        <Empty title={cursor.value === null ? "Nothing here" : "Nothing yet"}>
          <WholeType event={params.value.get("event")} />
          <p>
            {cursor.value === null
              ? "No account has anything like this."
              : "Nothing among the newest. Search older ones, or narrow the search."}
          </p>
        </Empty>
      )}
      {rows.value.length > 0 && (
        <Table
          label={label}
          look={look}
          columns={columns}
          items={rows.value}
          keyOf={({ id }) => id}
          hasMore={cursor.value !== null}
          onEnd={() => void list.more()}
        />
      )}
      {isLoaded.value && cursor.value !== null && (
        <div class="further">
          <OlderButton list={list} />
        </div>
      )}
    </>
  );
}
