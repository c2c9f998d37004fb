import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type VirtualRowsProps<T> = {
  items: readonly T[];
  rowHeight: number;
  /** The role of the rows together. */
  role?: "rowgroup" | "presentation";
  keyOf(item: T): string;
  render(item: T, index: number): ComponentChildren;
  /** Called when the end is near the window. */
  onEnd?: () => void;
};

/** Number of rows above and below the window that are also drawn. */
const OVERSCAN = 12;
/** Lists up to this length are drawn whole, so that the browser's search finds everything. */
const WHOLE = 60;

/** Draws only the rows in the window. The page itself scrolls, so that there is one scroll bar. */
export function VirtualRows<T>(props: VirtualRowsProps<T>) {
  const { items, rowHeight, role = "rowgroup", keyOf, render, onEnd } = props;
  const ref = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: WHOLE });
  useLayoutEffect(() => {
    const look = () => {
      const top = ref.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / rowHeight) - OVERSCAN);
      const to = Math.ceil((innerHeight - top) / rowHeight) + OVERSCAN;
      setRange((known) => (known.from === from && known.to === to ? known : { from, to }));
      if (to >= items.length - OVERSCAN) onEnd?.();
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [items.length, rowHeight, onEnd]);
  const isWhole = items.length <= WHOLE;
  const from = isWhole ? 0 : Math.min(range.from, Math.max(0, items.length - 1));
  const to = isWhole ? items.length : Math.min(items.length, range.to);
  return (
    <div ref={ref} role={role} class="rows" style={{ height: `${items.length * rowHeight}px` }}>
      <div style={{ transform: `translateY(${from * rowHeight}px)` }} role="presentation">
        {items.slice(from, to).map((item, index) => (
          <div key={keyOf(item)} role="presentation" style={{ height: `${rowHeight}px` }}>
            {render(item, from + index)}
          </div>
        ))}
      </div>
    </div>
  );
}
