import type { ComponentChildren } from "preact";
import type { components } from "../../client/openapi";
import { call } from "../shared/api";
import { BASE_PATH } from "../shared/base-path";
import { count } from "../shared/format";
import { Icon } from "../shared/icon";
import { withParams } from "../shared/location";
import { Card, Skeleton } from "../shared/parts";
import { useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { can, cell } from "./session";

type Cell = components["schemas"]["Cell"];

/** The cells of the installation; null until they are known. One cell, or none, has nothing to choose. */
function useCells(): readonly Cell[] | null {
  const isAsked = can("accounts:act");
  const { data, error } = useResource(isAsked ? "cells" : null, () => call("get", "/v1/admin/cells", {}), {
    every: 15_000,
  });
  return data?.data ?? (error || !isAsked ? [] : null);
}

/** True if the page is of one cell, false if it is of several; null until that is known. */
export function useIsOneCell(): boolean | null {
  const cells = useCells();
  return cells && (cell !== null || cells.length < 2);
}

/** Shows another cell, or all. Loads the page anew, since everything on it is another cell's. */
function show(name: string): void {
  location.assign(BASE_PATH + withParams({ cell: name, account: null, of: null }));
}

/** Chooses the cell that the pages show. Absent in an installation with fewer than two. */
export function CellChooser() {
  const cells = useCells() ?? [];
  if (cells.length < 2) return null;
  return (
    <select
      class="input"
      aria-label="Cell"
      value={cell ?? ""}
      onChange={(event) => show(event.currentTarget.value)}
    >
      <option value="">All cells</option>
      {cells.map(({ name, is_reachable }) => (
        <option key={name} value={name}>
          {is_reachable ? name : `${name}, does not answer`}
        </option>
      ))}
    </select>
  );
}

/** Names the cells that do not answer, without which no list of all cells is shown. */
export function SilentCells() {
  const silent = (useCells() ?? []).filter(
    ({ name, is_reachable }) => !is_reachable && (cell ?? name) === name,
  );
  if (silent.length === 0) return null;
  return (
    <div class="note bad" role="status">
      <Icon name="alert" />
      <p>
        No answer from {silent.map(({ name }) => visible(name)).join(", ")}. Lists of all cells wait for that;
        other cells' accounts are not affected.
      </p>
    </div>
  );
}

/** Shows what belongs to one cell; the cells to choose from if there are several and none is chosen. */
export function OfOneCell({ children }: { children: ComponentChildren }) {
  const isOne = useIsOneCell();
  const cells = useCells() ?? [];
  if (isOne === null) return <Skeleton rows={8} />;
  if (isOne) return <>{children}</>;
  return (
    <>
      <div class="lead">
        <div class="grow">
          <h1>{count(cells.length)} cells</h1>
          <p>Choose the one to show.</p>
        </div>
      </div>
      <Card label="List of cells">
        <Table
          label="Cells"
          look="plans"
          columns={COLUMNS}
          items={cells}
          keyOf={({ name }) => name}
          heights={[40, 76]}
        />
      </Card>
    </>
  );
}

const COLUMNS: readonly Column<Cell>[] = [
  {
    name: "name",
    title: "Cell",
    cell: ({ name }) => (
      <button type="button" class="link strong" onClick={() => show(name)}>
        {visible(name)}
      </button>
    ),
  },
  {
    name: "requests",
    title: "State",
    isRight: true,
    cell: ({ is_reachable, accepts_accounts }) => {
      if (!is_reachable) return "does not answer";
      return accepts_accounts ? "takes new accounts" : "takes no new accounts";
    },
  },
  {
    name: "webhooks",
    title: "Accounts",
    isRight: true,
    cell: ({ accounts }) => (accounts === null ? "" : count(accounts)),
  },
];
