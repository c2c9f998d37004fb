import type { Account } from "../../client/types";
import { Choice } from "../shared/choice";
import { count } from "../shared/format";
import { OlderButton } from "../shared/growing-list";
import type { LiveList } from "../shared/live-list";
import { params, setParams } from "../shared/location";
import { Empty, Problem, Skeleton } from "../shared/parts";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { useAccounts } from "./data";
import { WholeType } from "./why-empty";

/** Chooses the account of a list of all accounts; null for all. */
export function AccountChoice({ name, chosen }: { name: string; chosen: string | null }) {
  const accounts = useAccounts().data ?? [];
  const account = accounts.find(({ id }) => id === chosen);
  return (
    <Choice
      name={name}
      value={chosen ?? ""}
      shown={chosen === null ? "all accounts" : visible(account?.name ?? chosen)}
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
  );
}

export function accountColumn(accounts: readonly Account[] | null): Column<{ account_id: string }> {
  const names = new Map(accounts?.map(({ id, name }) => [id, name]));
  return {
    name: "account",
    title: "Account",
    cell: ({ account_id }) => <span class="trunc">{visible(names.get(account_id) ?? account_id)}</span>,
  };
}

type AccountListProps<T extends { id: string }> = {
  list: LiveList<T>;
  label: string;
  look: string;
  columns: readonly Column<T>[];
  heights?: readonly [wide: number, narrow: number];
};

/** A list of all accounts, which may have no rows yet although more follow. */
export function AccountList<T extends { id: string }>(props: AccountListProps<T>) {
  const { list, ...table } = props;
  const { rows, fresh, cursor, error, isLoaded } = list;
  const isEmpty = isLoaded.value && rows.value.length === 0 && !list.isBusy.value;
  return (
    <>
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      {fresh.value.length > 0 && (
        <button type="button" class="fresh" onClick={() => list.showFresh()}>
          {count(fresh.value.length)} new
        </button>
      )}
      {!isLoaded.value && error.value === null && <Skeleton rows={12} />}
      {isEmpty && <NothingFound isWhole={cursor.value === null} />}
      {rows.value.length > 0 && (
        <Table
          {...table}
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

function NothingFound({ isWhole }: { isWhole: boolean }) {
  return (
    <Empty title={isWhole ? "Nothing here" : "Nothing yet"}>
      <WholeType event={params.value.get("event")} />
      <p>
        {isWhole
          ? "No account has anything like this."
          : "Nothing among the newest. Search older ones, or narrow the search."}
      </p>
    </Empty>
  );
}
