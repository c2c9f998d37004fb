import type { Backlog } from "../../client";
import { itemsOf } from "../../client/pages";
import type { Columns } from "../output";
import type { Add } from "./command";

const COLUMNS: Columns<Backlog> = [
  ["ENDPOINT", 29, ({ endpoint_id }) => endpoint_id],
  ["PENDING", 8, ({ pending }) => pending],
  ["SINCE", 24, ({ since }) => since],
  ["FIRST", 29, ({ head }) => head.id],
  ["WAITS FOR", 14, ({ head }) => head.waiting_for?.reason],
  ["NEXT ATTEMPT", 0, ({ head }) => head.next_attempt_at],
];

export const addBacklog: Add = (parent, session) => {
  parent
    .command("backlog")
    .description("List the endpoints with pending deliveries, with the first in order and why it waits.")
    .action(async () => {
      const hermod = await session.hermod();
      await session.output.list(
        itemsOf((cursor) => hermod.backlog({ limit: 100, cursor })),
        COLUMNS,
      );
    });
};
