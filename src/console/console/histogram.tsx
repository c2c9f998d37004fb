import type { Delivery } from "../../client/types";
import type { Filters } from "../pages/delivery-filters";
import { Chart, type Kind } from "../shared/chart";
import { moment, plural } from "../shared/format";
import { setParams } from "../shared/location";
import { now } from "../shared/server-clock";
import { type CountBar, useBars } from "./summary";

const KINDS: readonly (Kind<CountBar> & { status: Delivery["status"] })[] = [
  { name: "delivered", status: "delivered", tone: "calm", of: ({ delivered }) => delivered },
  { name: "cancelled", status: "cancelled", tone: "edge", of: ({ cancelled }) => cancelled },
  { name: "waiting", status: "pending", tone: "warn", of: ({ pending }) => pending },
  { name: "failed", status: "failed", tone: "bad", of: ({ failed }) => failed },
];

/** The deliveries of a filter by the time of their acceptance. A dragged range becomes the filter's time. */
export function Histogram({ filters }: { filters: Filters }) {
  const found = useBars(filters);
  const kinds = KINDS.filter(({ status }) => filters.status === null || filters.status === status);
  if (found === null || found.bars.length < 2) return null;
  const { bars, barMs, isExact, isLastDay } = found;
  const total = bars.reduce((sum, bar) => sum + kinds.reduce((part, { of }) => part + (of(bar) ?? 0), 0), 0);
  if (total === 0) return null;
  const end = Date.parse(bars.at(-1)?.at ?? "") + barMs;
  const counted = `${isExact ? "" : "the newest "}${plural(total, "delivery", "deliveries")}`;
  const scope = isLastDay ? `${counted} of the last 24 hours` : counted;
  return (
    <Chart
      title="When they were accepted"
      meta={scope}
      summary={`${scope}, by the time of acceptance. Enter shows only those of a bar.`}
      points={bars}
      kinds={kinds}
      isStacked
      isLow
      end={end >= now.value ? "now" : moment(end, now.value, { seconds: false })}
      onPick={(from, to) => setParams(rangeOf(from, to, barMs), { replace: false })}
    />
  );
}

function rangeOf(from: CountBar, to: CountBar, barMs: number) {
  const before = new Date(Date.parse(to.at) + barMs).toISOString();
  return { time: null, after: from.at, before };
}
