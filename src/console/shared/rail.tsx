import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count } from "./format";
import { Icon } from "./icon";
import { linkTo } from "./location";
import { Countdown, Ring } from "./parts";

/** One place in the order. */
export type Place = Readonly<{ sequence: number; id?: string; isMarked?: boolean }>;

type RailProps = {
  /** The delivery for which all later ones wait. */
  first: Place &
    Readonly<{
      attempts: number;
      until: string | null;
      since?: string | null;
      word?: string;
      isPaused?: boolean;
    }>;
  /** The known deliveries behind it. */
  behind: readonly Place[];
  /** True if more deliveries follow. */
  hasMore: boolean;
  /** True if all deliveries before the first have ended, as in one order. False for one of many keys. */
  isUnbroken: boolean;
  base: string;
};

const CELL_PX = 34;
/** The width of the first and the last place. */
const FIXED_PX = 300;
/** The width of the ended deliveries. */
const DONE_PX = 175;
const DONE_SHOWN = 5;

/** The order as a picture: the ended deliveries, the first one, and the following ones. A list for screen readers. */
export function Rail({ first, behind, hasMore, isUnbroken, base }: RailProps) {
  const ref = useRef<HTMLOListElement>(null);
  const [room, setRoom] = useState(12);
  const hasDone = isUnbroken && first.sequence > 1;
  const donePx = hasDone ? DONE_PX : 0;
  useLayoutEffect(() => {
    const look = () =>
      setRoom(Math.max(2, Math.floor(((ref.current?.clientWidth ?? 800) - FIXED_PX - donePx) / CELL_PX)));
    look();
    const observer = new ResizeObserver(look);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [donePx]);
  const marked = behind.findIndex(({ isMarked }) => isMarked);
  const near =
    marked >= room
      ? [...behind.slice(0, room - 2), null, ...behind.slice(marked, marked + 1)]
      : behind.slice(0, room);
  const done = Array.from({ length: Math.min(DONE_SHOWN, first.sequence - 1) }, (_, index) => index);
  return (
    <ol class="rail" ref={ref} aria-label="The order">
      {hasDone && (
        <li class="done" aria-label={`Ended up to number ${count(first.sequence - 1)}`}>
          <small aria-hidden="true">up to #{count(first.sequence - 1)}</small>
          <span class="cells">
            {done.map((index) => (
              <i key={index} class={`age${DONE_SHOWN - done.length + index}`}>
                <Icon name="tick" small />
              </i>
            ))}
          </span>
        </li>
      )}
      <li class={first.isMarked ? "first marked" : "first"}>
        <First first={first} base={base} />
      </li>
      {near.length > 0 && (
        <li class="next">
          <small>next, in this order</small>
          <ol class="cells" aria-label="Next">
            {near.map((place) =>
              place === null ? (
                <li class="gap" key="gap">
                  …
                </li>
              ) : (
                <Cell key={place.sequence} place={place} base={base} />
              ),
            )}
            {(hasMore || behind.length > room) && (
              <li class="rest">… {hasMore ? "and more" : `#${count(behind.at(-1)?.sequence ?? 0)}`}</li>
            )}
          </ol>
        </li>
      )}
    </ol>
  );
}

function First({ first, base }: Pick<RailProps, "first" | "base">) {
  const text = (
    <>
      {first.until ? (
        <Ring share={shareLeft(first.until, first.since ?? null)} />
      ) : (
        <Icon name={first.isPaused ? "pause" : "send"} />
      )}
      <span class="two">
        <b class="num">#{count(first.sequence)}</b>
        <small class="num">
          {first.word ?? `attempt ${first.attempts + 1}`}{" "}
          {first.until && (
            <>
              in <Countdown until={first.until} ring={false} />
            </>
          )}
        </small>
      </span>
    </>
  );
  return first.id ? <a href={linkTo(`${base}/deliveries/${first.id}`)}>{text}</a> : <span>{text}</span>;
}

function shareLeft(until: string, since: string | null): number {
  if (since === null) return 0.25;
  const [from, to] = [Date.parse(since), Date.parse(until)];
  return to > from ? (to - Date.now()) / (to - from) : 0;
}

function Cell({ place, base }: { place: Place; base: string }) {
  const text = String(place.sequence).slice(-3);
  const label = `Number ${count(place.sequence)}`;
  const look = place.isMarked ? "marked num" : "num";
  return (
    <li class={look} title={label} aria-current={place.isMarked ? "true" : undefined}>
      {place.id ? (
        <a href={linkTo(`${base}/deliveries/${place.id}`)} aria-label={label}>
          {place.isMarked ? `#${count(place.sequence)}` : text}
        </a>
      ) : place.isMarked ? (
        `#${count(place.sequence)}`
      ) : (
        text
      )}
    </li>
  );
}
