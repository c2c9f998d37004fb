import type { components } from "../../client/openapi";
import { call } from "../shared/api";
import { Chart, type Kind } from "../shared/chart";
import { bytes, compact, duration, moment, plural } from "../shared/format";
import { Card, Facts, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now, serverNow } from "../shared/server-clock";
import { Figure } from "./figure";
import { queueWords } from "./queue-words";
import { BacklogChart, type Point } from "./series";

type SystemFacts = components["schemas"]["System"];

const LAG: readonly Kind<Point>[] = [
  { name: "p50", tone: "edge", of: ({ delivery_ms }) => delivery_ms?.p50 ?? null },
  { name: "p99", tone: "accent", of: ({ delivery_ms }) => delivery_ms?.p99 ?? null },
];

const DAY_MS = 86_400_000;

/** The installation's deliveries over the last day; null until they are read. */
function useEverything() {
  return useResource(
    "everything",
    () => {
      const query = { from: new Date(serverNow() - DAY_MS).toISOString(), step: "30m" };
      return call("get", "/v1/admin/stats/series", { query });
    },
    { every: 15_000 },
  ).data;
}

/** Says how long deliveries took in the last half-hour in which one arrived. */
function LagFigure({ points }: { points: readonly Point[] }) {
  const last = points.findLast(({ delivery_ms }) => delivery_ms !== null);
  if (!last?.delivery_ms)
    return <Figure name="Lag" value="–" detail="nothing was delivered in the last day" />;
  const { p50, p99 } = last.delivery_ms;
  const since = moment(Date.parse(last.at), now.value, { seconds: false });
  return (
    <Figure name="Lag" value={duration(p50)} detail={`to delivery, from ${since} on; p99 ${duration(p99)}`} />
  );
}

/** Lag and backlog of all accounts, and what waits in the processes. */
export function SystemFigures({ system }: { system: SystemFacts }) {
  const series = useEverything();
  const backlog = series?.points.at(-1)?.backlog;
  return (
    <>
      <dl class="card figures">
        {series && <LagFigure points={series.points} />}
        <Figure
          name="Queue"
          value={backlog === undefined ? "–" : compact(backlog)}
          detail={queueWords(system.processes)}
        />
        <Figure name="Storage" value={bytes(system.storage.bytes)} detail="tables and indexes" />
      </dl>
      {series && (
        <div class="charts two">
          <Chart
            title="From acceptance to delivery"
            summary="How long deliveries of all accounts took"
            points={series.points}
            kinds={LAG}
            format={duration}
          />
          <BacklogChart series={series} />
        </div>
      )}
    </>
  );
}

/** An open transaction of this age keeps Postgres from reusing space. */
const LONG_TRANSACTION_MS = 3_600_000;

/** What is kept, for how long, and since when. */
export function Kept({ system: { storage, retention } }: { system: SystemFacts }) {
  const { oldest_range_at: oldest, oldest_transaction_ms: open } = storage;
  const days = (ms: number) => plural(Math.round((ms / DAY_MS) * 10) / 10, "day", "days");
  return (
    <Card title="Storage and retention">
      <Facts
        facts={[
          ["Deliveries", `kept for ${days(retention.deliveries_ms)} after they end`],
          ["Oldest", oldest ? <Time key="o" at={oldest} seconds={false} /> : "nothing yet"],
          ["Changes", `kept for ${days(retention.audit_ms)}`],
          [
            "Oldest transaction",
            open < LONG_TRANSACTION_MS
              ? duration(open)
              : `${duration(open)}: it keeps Postgres from reusing space`,
          ],
        ]}
      />
    </Card>
  );
}
