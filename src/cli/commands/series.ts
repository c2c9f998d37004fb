import type { Series } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";
import { filled } from "./values";

type SeriesPoint = Series["points"][number];

const COLUMNS: Columns<SeriesPoint> = [
  ["AT", 16, ({ at }) => at.slice(0, 16)],
  ["ACCEPTED", 10, ({ accepted }) => accepted],
  ["DELIVERED", 10, ({ delivered }) => delivered],
  ["FAILED", 8, ({ failed }) => failed],
  ["BACKLOG", 10, ({ backlog }) => backlog],
  ["P50 MS", 8, ({ delivery_ms: ms }) => ms?.p50],
  ["P99 MS", 0, ({ delivery_ms: ms }) => ms?.p99],
];

export const addSeries: Add = (parent, session) => {
  parent
    .command("series")
    .description("Show figures over time, a line for each step. Latencies are from acceptance to delivery.")
    .option("--endpoint <id>", "only this endpoint's", filled)
    .option("--all", "the figures of all accounts")
    .option("--from <time>", "the beginning (default: a day before the end)", filled)
    .option("--to <time>", "the end (default: now)", filled)
    .option("--step <duration>", "such as 5m, 1h or 1d (default: one that suits the time)", filled)
    .action(async ({ endpoint, all, ...range }) => {
      const hermod = await session.hermod();
      const series = all
        ? await hermod.admin.statsSeries(range)
        : await hermod.series({ endpoint, ...range });
      await session.output.list(series.points, COLUMNS);
    });
};
