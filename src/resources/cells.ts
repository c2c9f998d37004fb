import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../api/answer";
import { notFound } from "../api/errors";
import type { Guard } from "../api/guard";
import { operation } from "../api/openapi/operation";
import { named, nullable, ref, request } from "../api/openapi/schema";
import type { CellFacts, OwnCell } from "../cells/own-cell";

const CellModel = named(
  "Cell",
  Type.Object({
    name: Type.String(),
    is_reachable: Type.Boolean({ description: "Whether the router reaches the cell." }),
    accepts_accounts: nullable(Type.Boolean({ description: "Null while the cell can't be reached." })),
    accounts: nullable(
      Type.Integer({ description: "The number of its accounts. Null while the cell can't be reached." }),
    ),
  }),
);
const CellList = named("CellList", Type.Object({ data: Type.Array(ref("Cell")) }));
const UpdateCell = request("UpdateCell", Type.Object({ accepts_accounts: Type.Boolean() }));

/** A cell in an answer. */
export type CellView = Static<typeof CellModel>;

const EXAMPLE = {
  name: "eu-1",
  is_reachable: true,
  accepts_accounts: true,
  accounts: 1_204,
} satisfies CellView;
const tag = "Administration";

/** /admin/cells */
export function cellRoutes(guard: Guard, { cell }: { cell: OwnCell | null }) {
  const own = () => {
    if (cell === null) throw notFound("This installation has no cells: HERMOD_CELL is not set");
    return cell;
  };
  return new Elysia({ prefix: "/admin/cells" })
    .use(guard)
    .get(
      "",
      async ({ call }) =>
        answer(call.allowance, 200, { data: cell === null ? [] : [viewOf(await cell.facts())] }),
      operation({
        id: "listCells",
        permission: "accounts:act",
        cells: "cells",
        tag,
        summary: "List the cells",
        description:
          "A router lists all cells, a cell only itself. The list of an installation without cells is empty.",
        success: { status: 200, description: "The cells.", schema: CellList, example: { data: [EXAMPLE] } },
      }),
    )
    .patch(
      "/:name",
      async ({ call, params, body }) => {
        if (params.name !== own().name) throw notFound(`This cell is ${own().name}`);
        return answer(call.allowance, 200, viewOf(await own().setAccepting(body.accepts_accounts)));
      },
      operation({
        id: "updateCell",
        permission: "admin",
        cells: "one",
        audit: { shows: ["accepts_accounts"] },
        tag,
        summary: "Let a cell accept new accounts, or not",
        description: "The accounts that a cell has stay in it.",
        path: { name: { description: "The name of the cell.", example: EXAMPLE.name } },
        body: { schema: UpdateCell, example: { accepts_accounts: false } },
        success: { status: 200, description: "The cell.", schema: CellModel, example: EXAMPLE },
        errors: [404],
      }),
    );
}

function viewOf({ name, acceptsAccounts, accounts }: CellFacts): CellView {
  return { name, is_reachable: true, accepts_accounts: acceptsAccounts, accounts };
}
