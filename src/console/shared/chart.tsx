import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { compact, moment } from "./format";
import { Icon } from "./icon";
import { Card } from "./parts";
import { now } from "./server-clock";

/** One kind of bar or line. */
export type Kind<P> = Readonly<{
  name: string;
  tone: "calm" | "edge" | "warn" | "bad" | "accent";
  of(point: P): number | null;
}>;

type ChartProps<P extends { at: string }> = {
  title: string;
  /** The content of the picture in words, for people who don't see it. */
  summary: string;
  points: readonly P[];
  kinds: readonly Kind<P>[];
  /** True for stacked bars, false for lines. */
  isStacked?: boolean;
  format?: FormatNumber;
  meta?: ComponentChildren;
  /** The end of the time axis; `now` by default. */
  end?: string;
  /** Called with the first and the last point of a dragged range, or with a point by Enter. */
  onPick?: (from: P, to: P) => void;
  isLow?: boolean;
};

const WIDTH = 1_000;
const HEIGHT = 100;

/** A chart in a card. The arrow keys move along it, and a button shows its numbers as a table. */
export function Chart<P extends { at: string }>(props: ChartProps<P>) {
  const { title, kinds, meta, points, format = compact } = props;
  const [isTable, setTable] = useState(false);
  return (
    <Card
      title={title}
      meta={meta}
      actions={
        <>
          <span class="legend" aria-hidden="true">
            {kinds.length > 1 &&
              kinds.map(({ name, tone }) => (
                <span key={name}>
                  <i class={tone} />
                  {name}
                </span>
              ))}
          </span>
          <button
            type="button"
            class="icon"
            aria-pressed={isTable}
            aria-label={`${title} as a table`}
            title="As a table"
            onClick={() => setTable(!isTable)}
          >
            <Icon name="table" />
          </button>
        </>
      }
    >
      {isTable ? (
        <Numbers points={points} kinds={kinds} format={format} title={title} />
      ) : (
        <Picture {...props} format={format} />
      )}
    </Card>
  );
}

/** Called with the first and the last place of a choice. */
type Pick = (from: number, to: number) => void;

/** The place on a chart that the keys or the pointer chose; null if none. `start` is where a drag began. */
function useCursor(places: number, pick: Pick | undefined) {
  const [at, setAt] = useState<number | null>(null);
  const [start, setStart] = useState<number | null>(null);
  const last = places - 1;
  const move = (to: number | null) => setAt(to === null ? null : Math.min(last, Math.max(0, to)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowRight") move(at === null ? 0 : at + 1);
    else if (event.key === "ArrowLeft") move(at === null ? last : at - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(last);
    else if (event.key === "Escape" && at !== null) move(null);
    else if (event.key === "Enter" && at !== null && pick) pick(at, at);
    else return;
    event.preventDefault();
  };
  const leave = () => {
    move(null);
    setStart(null);
  };
  const endDrag = () => {
    if (start !== null && at !== null) pick?.(Math.min(start, at), Math.max(start, at));
    setStart(null);
  };
  return { at, start, move, leave, onKeyDown, beginDrag: () => setStart(at), endDrag };
}

function Picture<P extends { at: string }>(props: ChartProps<P>) {
  const { summary, points, kinds, isStacked, format = compact, end = "now", onPick, isLow } = props;
  const pick = (from: number, to: number) => {
    const [first, last] = [points[from], points[to]];
    if (first && last) onPick?.(first, last);
  };
  const cursor = useCursor(points.length, onPick && pick);
  const { at, start, move } = cursor;
  const top = niceTop(highest(points, kinds, isStacked));
  const step = WIDTH / Math.max(1, points.length);
  const shown = at === null ? null : points[at];
  const Drawing = isStacked ? Bars : Lines;
  return (
    <div class="chart">
      <Scale top={top} format={format} />
      <div
        class={`plot${isLow ? " low" : ""}${onPick ? " picks" : ""}`}
        role="img"
        aria-label={shown ? pointWords(shown, kinds, format) : summary}
        tabIndex={0}
        onKeyDown={cursor.onKeyDown}
        onBlur={() => move(null)}
        onPointerLeave={cursor.leave}
        onPointerDown={cursor.beginDrag}
        onPointerUp={cursor.endDrag}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          move(Math.floor(((event.clientX - box.left) / box.width) * points.length));
        }}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid-line" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
          <Drawing points={points} kinds={kinds} top={top} step={step} />
          {onPick && at !== null && start !== null && <Picked from={at} to={start} step={step} />}
          {at !== null && <path class="cursor" d={`M${(at + 0.5) * step} 0V${HEIGHT}`} />}
        </svg>
        {shown && at !== null && (
          <Tip point={shown} kinds={kinds} format={format} share={(at + 0.5) / points.length} />
        )}
      </div>
      <Times points={points} end={end} />
    </div>
  );
}

type FormatNumber = (value: number) => string;

/** Writes a point in words: `09:40: delivered 12, failed 0`. */
function pointWords<P extends { at: string }>(
  point: P,
  kinds: readonly Kind<P>[],
  format: FormatNumber,
): string {
  return `${timeOf(point)}: ${kinds.map(({ name, of }) => `${name} ${format(of(point) ?? 0)}`).join(", ")}`;
}

function Scale({ top, format }: { top: number; format: FormatNumber }) {
  return (
    <div class="scale num" aria-hidden="true">
      <span>{format(top)}</span>
      <span>{format(top / 2)}</span>
      <span>0</span>
    </div>
  );
}

/** The places of a drag. */
function Picked({ from, to, step }: { from: number; to: number; step: number }) {
  const width = (Math.abs(from - to) + 1) * step;
  return <rect class="picked" x={Math.min(from, to) * step} width={width} y={0} height={HEIGHT} />;
}

function Times({ points, end }: { points: readonly { at: string }[]; end: string }) {
  const shares = points.length < 5 ? [0, 1] : [0, 0.25, 0.5, 0.75, 1];
  return (
    <div class="times num" aria-hidden="true">
      {shares.map((share) => {
        const point = points[Math.min(points.length - 1, Math.floor(share * points.length))];
        return <span key={share}>{share === 1 ? end : point && timeOf(point)}</span>;
      })}
    </div>
  );
}

type Drawn<P> = { points: readonly P[]; kinds: readonly Kind<P>[]; top: number; step: number };

function Bars<P extends { at: string }>({ points, kinds, top, step }: Drawn<P>) {
  const gap = Math.min(3, step * 0.25);
  return (
    <>
      {points.flatMap((point, index) => {
        let base = HEIGHT;
        return kinds.map(({ name, tone, of }) => {
          const value = of(point) ?? 0;
          if (value === 0) return null;
          const height = (value / top) * HEIGHT;
          base -= height;
          return (
            <rect
              key={`${name} ${point.at}`}
              class={tone}
              x={index * step + gap / 2}
              width={step - gap}
              y={base}
              height={height}
            />
          );
        });
      })}
    </>
  );
}

function Lines<P extends { at: string }>({ points, kinds, top, step }: Drawn<P>) {
  return (
    <>
      {kinds.map(({ name, tone, of }) => (
        <path key={name} class={`line ${tone}`} d={pathOf(points.map(of), top, step)} />
      ))}
    </>
  );
}

/** Returns the path of a line that is interrupted where there is no value. */
function pathOf(values: readonly (number | null)[], top: number, step: number): string {
  let isDown = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDown = false;
        return "";
      }
      const place = `${((index + 0.5) * step).toFixed(1)} ${(HEIGHT - (value / top) * HEIGHT).toFixed(1)}`;
      const sign = isDown ? "L" : "M";
      isDown = true;
      // Draws a single value as a short line, since a point would be invisible.
      return `${sign}${place}${sign === "M" ? "h0.1" : ""}`;
    })
    .join("");
}

type TipProps<P> = { point: P; kinds: readonly Kind<P>[]; format: FormatNumber; share: number };

function Tip<P extends { at: string }>({ point, kinds, format, share }: TipProps<P>) {
  const isRight = share > 0.6;
  return (
    <div
      class="tip"
      style={isRight ? { right: `${(1 - share) * 100 + 1}%` } : { left: `${share * 100 + 1}%` }}
      aria-hidden="true"
    >
      <b>{timeOf(point)}</b>
      <ul>
        {kinds.map(({ name, tone, of }) => {
          const value = of(point);
          return (
            <li key={name}>
              <i class={tone} />
              {name}
              <span class="num">{value === null ? "–" : format(value)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Numbers<P extends { at: string }>({ points, kinds, format, title }: Listed<P>) {
  return (
    <div class="numbers" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {kinds.map(({ name }) => (
              <th scope="col" class="r" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.at}>
              <td class="num">{timeOf(point)}</td>
              {kinds.map(({ name, of }) => (
                <td class="r num" key={name}>
                  {of(point) === null ? "–" : format(of(point) ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Listed<P> = {
  points: readonly P[];
  kinds: readonly Kind<P>[];
  format: FormatNumber;
  title: string;
};

/** Writes the time of a point, with seconds unless it is a whole minute. */
function timeOf({ at }: { at: string }): string {
  const ms = Date.parse(at);
  return moment(ms, now.value, { seconds: ms % 60_000 !== 0 });
}

function highest<P>(points: readonly P[], kinds: readonly Kind<P>[], isStacked: boolean | undefined): number {
  return points.reduce((most, point) => {
    const values = kinds.map(({ of }) => of(point) ?? 0);
    return Math.max(most, isStacked ? values.reduce((sum, each) => sum + each, 0) : Math.max(...values));
  }, 0);
}

/** Returns the next round number: 1, 2, 4, 6 or 8 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** A line without scales, beside a figure with the number. */
export function Spark({ values, tone = "edge" }: { values: readonly number[]; tone?: string }) {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg class="spark" viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`} preserveAspectRatio="none" aria-hidden="true">
      <path class={`line ${tone}`} d={pathOf(values, top, step)} />
    </svg>
  );
}
