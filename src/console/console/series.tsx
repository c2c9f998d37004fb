import type { components } from "../../client/openapi";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Chart, type Kind, Spark } from "../shared/chart";
import { compact, count, duration, plural } from "../shared/format";
import { params, withParams } from "../shared/location";
import { useResource } from "../shared/resource";
import { serverNow } from "../shared/server-clock";
import { Figure } from "./figure";
import { can } from "./session";

export type Series = components["schemas"]["Series"];
export type Point = Series["points"][number];

/** Ranges of the charts. Each has about fifty steps, so that a bar is wide enough to point at. */
const RANGES = [
  ["1h", "1 h", 3_600_000, "1m"],
  ["6h", "6 h", 21_600_000, "5m"],
  ["24h", "24 h", 86_400_000, "30m"],
  ["7d", "7 d", 604_800_000, "3h"],
  ["30d", "30 d", 2_592_000_000, "12h"],
] as const;

function currentRange() {
  const wanted = params.value.get("last");
  return RANGES.find(([value]) => value === wanted) ?? RANGES[2];
}

/** Chooses the range of the charts. */
export function RangeChoice() {
  const [current] = currentRange();
  return (
    <nav class="segments" aria-label="Time range">
      {RANGES.map(([value, label]) => (
        <a
          key={value}
          href={withParams({ last: value })}
          aria-current={value === current ? "true" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

/** Figures over time, of an endpoint or of the account. */
export function useSeries(endpointId: string | null) {
  return useFigures(can("stats:read") ? keyed("series", endpointId) : null, (query) =>
    endpointId === null
      ? call("get", "/v1/stats/series", { query })
      : call("get", "/v1/endpoints/{id}/stats/series", { path: { id: endpointId }, query }),
  );
}

/** Figures over time of all accounts, or of one. */
export function useSeriesOfAll(accountId: string | null) {
  return useFigures(can("admin") ? `series of all ${accountId}` : null, (query) =>
    call("get", "/v1/admin/stats/series", { query: { ...query, account: accountId ?? undefined } }),
  );
}

type RangeQuery = Readonly<{ from: string; step: string }>;

function useFigures(key: string | null, load: (query: RangeQuery) => Promise<Series>) {
  const [name, , spanMs, step] = currentRange();
  return useResource(
    key === null ? null : `${key} ${name}`,
    () => load({ from: new Date(serverNow() - spanMs).toISOString(), step }),
    { every: 15_000 },
  );
}

const noAnswer = ({ attempts }: Point) => attempts.none + attempts.other + attempts["1xx"];

const ANSWERS: readonly Kind<Point>[] = [
  { name: "2xx", tone: "calm", of: ({ attempts }) => attempts["2xx"] },
  { name: "3xx, 4xx", tone: "warn", of: ({ attempts }) => attempts["3xx"] + attempts["4xx"] },
  { name: "5xx, none", tone: "bad", of: (point) => point.attempts["5xx"] + noAnswer(point) },
];

const TIMES: readonly Kind<Point>[] = [
  { name: "p50", tone: "edge", of: ({ receiver_ms }) => receiver_ms?.p50 ?? null },
  { name: "p99", tone: "accent", of: ({ receiver_ms }) => receiver_ms?.p99 ?? null },
];

const BACKLOG: readonly Kind<Point>[] = [{ name: "waiting", tone: "warn", of: ({ backlog }) => backlog }];

const sumOf = (points: readonly Point[], of: (point: Point) => number) =>
  points.reduce((sum, point) => sum + of(point), 0);

const attemptsIn = (points: readonly Point[]) =>
  sumOf(points, (point) => ANSWERS.reduce((sum, { of }) => sum + (of(point) ?? 0), 0));

/** The number of attempts in the range. The figures of an endpoint count only those of its last deliveries. */
export function AttemptsFigure({ series, detail }: { series: Series | null; detail: string }) {
  const [, label] = currentRange();
  return (
    <Figure
      name={`Attempts, last ${label}`}
      value={series === null ? "–" : compact(attemptsIn(series.points))}
      detail={detail}
    />
  );
}

export function AnswersChart({ series }: { series: Series }) {
  const total = attemptsIn(series.points);
  const good = sumOf(series.points, ({ attempts }) => attempts["2xx"]);
  return (
    <Chart
      title="Attempts by answer"
      summary={`${plural(total, "attempt", "attempts")}, ${count(good)} of them answered with 2xx`}
      points={series.points}
      kinds={ANSWERS}
      isStacked
    />
  );
}

export function TimesChart({ series }: { series: Series }) {
  return (
    <Chart
      title="Time to answer"
      summary="How long receivers took to answer"
      points={series.points}
      kinds={TIMES}
      format={duration}
    />
  );
}

export function BacklogChart({ series }: { series: Series }) {
  const last = series.points.at(-1)?.backlog ?? 0;
  return (
    <Chart
      title="Waiting"
      summary={`${plural(last, "delivery waits", "deliveries wait")} now`}
      points={series.points}
      kinds={BACKLOG}
      meta={count(last)}
    />
  );
}

/** Writes a share in per cent. Rounds down, so that only all of them are 100 %. */
export function shareWords(part: number, whole: number): string {
  return `${(Math.floor((part * 10_000) / whole) / 100).toFixed(2)} %`;
}

/** The account's figures of the range, each with a small chart. */
export function SeriesFigures({ series }: { series: Series }) {
  const { points } = series;
  const accepted = sumOf(points, (point) => point.accepted);
  const ended = sumOf(points, (point) => point.delivered + point.failed);
  const first = sumOf(points, (point) => point.delivered_first);
  const failed = sumOf(points, (point) => point.failed);
  const backlog = points.at(-1)?.backlog ?? 0;
  const latest = points.findLast(({ delivery_ms }) => delivery_ms !== null)?.delivery_ms ?? null;
  const [, label] = currentRange();
  return (
    <dl class="card figures">
      <Figure name={`Accepted, last ${label}`} value={compact(accepted)}>
        <Spark values={points.map((point) => point.accepted)} />
      </Figure>
      <Figure name="Delivered at first attempt" value={ended === 0 ? "–" : shareWords(first, ended)}>
        <Spark values={points.map((point) => point.delivered_first)} />
      </Figure>
      <Figure name="Waiting now" value={compact(backlog)} tone={backlog > 0 ? "warn" : ""}>
        <Spark values={points.map((point) => point.backlog)} tone={backlog > 0 ? "warn" : "edge"} />
      </Figure>
      <Figure name="Failed for good" value={compact(failed)} tone={failed > 0 ? "bad" : ""}>
        <Spark values={points.map((point) => point.failed)} tone={failed > 0 ? "bad" : "edge"} />
      </Figure>
      <Figure name="Send to receiver, p99" value={latest === null ? "–" : duration(latest.p99)}>
        <Spark values={points.map(({ delivery_ms }) => delivery_ms?.p99 ?? 0)} />
      </Figure>
    </dl>
  );
}
