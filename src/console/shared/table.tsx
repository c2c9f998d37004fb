import type { ComponentChildren } from "preact";
import { isNarrow } from "./narrow";
import { VirtualRows } from "./virtual-rows";

export type Column<T> = Readonly<{
  /** The column's class, which places it on narrow screens. */
  name: string;
  title: string;
  /** True if only screen readers get the title. */
  isTitleHidden?: boolean;
  isRight?: boolean;
  cell(item: T): ComponentChildren;
}>;

type TableProps<T> = {
  label: string;
  /** The class that sets the columns' widths. */
  look: string;
  columns: readonly Column<T>[];
  items: readonly T[];
  keyOf(item: T): string;
  /** The height of a row in pixels, and that on a narrow screen. */
  heights?: readonly [wide: number, narrow: number];
  /** Shown in place of a table without rows. */
  nothing?: ComponentChildren;
  isSelected?: (item: T) => boolean;
  /** True if there are more than `items`. */
  hasMore?: boolean;
  onEnd?: () => void;
};

/** A table of any length. Only the rows in the window exist, so its roles are explicit. */
export function Table<T>({
  label,
  look,
  columns,
  items,
  keyOf,
  heights: [wide, narrow] = [40, 60],
  nothing,
  isSelected,
  hasMore,
  onEnd,
}: TableProps<T>) {
  if (items.length === 0 && nothing !== undefined) return <>{nothing}</>;
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      aria-colcount={columns.length}
      class={`grid ${look}`}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} class="grid-row head">
          {columns.map(({ name, title, isTitleHidden, isRight }) => (
            <span key={name} role="columnheader" class={isRight ? "r" : undefined}>
              {isTitleHidden ? <span class="sr">{title}</span> : title}
            </span>
          ))}
        </div>
      </div>
      <VirtualRows
        items={items}
        rowHeight={isNarrow.value ? narrow : wide}
        keyOf={keyOf}
        onEnd={onEnd}
        render={(item, index) => (
          <div
            role="row"
            aria-rowindex={index + 2}
            class={isSelected?.(item) ? "grid-row sel" : "grid-row"}
            data-row
          >
            {columns.map(({ name, isRight, cell }) => (
              <span key={name} role="cell" class={`c-${name}${isRight ? " r num" : ""}`}>
                {cell(item)}
              </span>
            ))}
          </div>
        )}
      />
    </div>
  );
}
