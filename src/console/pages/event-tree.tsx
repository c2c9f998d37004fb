import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EventType } from "../../client/types";
import { Icon } from "../shared/icon";
import { go } from "../shared/location";
import { isNarrow } from "../shared/narrow";
import { VirtualRows } from "../shared/virtual-rows";
import { visible } from "../shared/visible-text";
import { keyOfRow, parentOf, rowsOf, searchTypes, type TreeRow, treeOf } from "./type-tree";

/** Trees up to this number of event types are open at first. */
const OPEN_AT_FIRST = 60;
/** The height of a row in pixels, wide and narrow. */
const HEIGHTS = [40, 56] as const;
/** Deepest indentation, in levels. */
const DEEPEST = 6;

/** The branches that were folded or unfolded by hand. They stay so when a reader comes back. */
const toggled = signal<ReadonlySet<string>>(new Set());

type EventTreeProps = {
  types: readonly EventType[];
  label: string;
  /** The text that is searched, in small letters. */
  text: string;
  hrefOf(type: EventType): string;
  /** What a row has behind its name, and at its end. */
  marksOf(type: EventType): ComponentChildren;
  endOf?: (type: EventType) => ComponentChildren;
  /** The event type that the page shows. */
  current?: string;
  nothing: ComponentChildren;
};

/** Shows event types as a tree of their dotted names. Only the rows in the window exist. */
export function EventTree(props: EventTreeProps) {
  const { types, text, nothing } = props;
  const { rows, toggle } = useRows(types, text);
  if (rows.length === 0) return <>{nothing}</>;
  return <Rows {...props} rows={rows} toggle={toggle} />;
}

type Toggle = (prefix: string) => void;

function useRows(types: readonly EventType[], text: string): { rows: readonly TreeRow[]; toggle: Toggle } {
  const found = useMemo(() => searchTypes(types, text), [types, text]);
  const tree = useMemo(() => treeOf(found), [found]);
  const isOpenAtFirst = text !== "" || found.length <= OPEN_AT_FIRST;
  const key = (prefix: string) => JSON.stringify([text, isOpenAtFirst, prefix]);
  const changed = toggled.value;
  const rows = useMemo(
    () => rowsOf(tree, (prefix) => changed.has(key(prefix)) !== isOpenAtFirst),
    [tree, changed, text, isOpenAtFirst],
  );
  const toggle = (prefix: string) => {
    toggled.value = changed.symmetricDifference(new Set([key(prefix)]));
  };
  return { rows, toggle };
}

type TreeRowsProps = EventTreeProps & { rows: readonly TreeRow[]; toggle: Toggle };

function Rows(props: TreeRowsProps) {
  const { rows, toggle, label, hrefOf } = props;
  const id = useId();
  const height = HEIGHTS[isNarrow.value ? 1 : 0];
  const { ref, at, move } = useActiveRow(rows.length, height);
  const open = (row: TreeRow) => (row.is === "branch" ? toggle(row.prefix) : go(hrefOf(row.type)));
  const onKeyDown = (event: KeyboardEvent) => {
    // A link that has the focus itself opens by itself.
    if (event.key === "Enter" && event.target !== event.currentTarget) return;
    if (act(event.key, { rows, at, move, open })) event.preventDefault();
  };
  return (
    <div
      ref={ref}
      role="tree"
      class="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}-${at}`}
      onKeyDown={onKeyDown}
    >
      <VirtualRows
        items={rows}
        rowHeight={height}
        role="presentation"
        keyOf={keyOfRow}
        render={(row, index) => (
          <Row {...props} id={`${id}-${index}`} row={row} isAt={index === at} onPoint={() => move(index)} />
        )}
      />
    </div>
  );
}

/** The row that the arrow keys have reached. A row that is reached by `move` is scrolled into sight. */
function useActiveRow(length: number, height: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState({ index: 0 });
  useLayoutEffect(() => {
    const top = (ref.current?.getBoundingClientRect().top ?? 0) + reached.index * height;
    const isOut = top < height || top > innerHeight - height;
    if (isOut && ref.current?.contains(document.activeElement)) scrollBy(0, top - innerHeight / 2);
  }, [reached]);
  const at = Math.min(reached.index, length - 1);
  const move = (index: number) => setReached({ index: Math.max(0, Math.min(length - 1, index)) });
  return { ref, at, move };
}

type TreeKeys = {
  rows: readonly TreeRow[];
  at: number;
  move(index: number): void;
  open(row: TreeRow): void;
};

/** Does what a key means in a tree. Returns false if it means nothing. */
function act(key: string, { rows, at, move, open }: TreeKeys): boolean {
  const row = rows[at];
  if (row === undefined) return false;
  const isOpen = row.is === "branch" && row.isOpen;
  if (key === "ArrowDown") move(at + 1);
  else if (key === "ArrowUp") move(at - 1);
  else if (key === "Home") move(0);
  else if (key === "End") move(rows.length - 1);
  else if (key === "Enter" || key === " ") open(row);
  else if (key === "ArrowRight" && row.is === "branch") isOpen ? move(at + 1) : open(row);
  else if (key === "ArrowLeft" && isOpen) open(row);
  else if (key === "ArrowLeft" && row.depth > 0) move(parentOf(rows, at));
  else return false;
  return true;
}

type TreeRowProps = TreeRowsProps & { id: string; row: TreeRow; isAt: boolean; onPoint(): void };

function Row({ id, row, isAt, onPoint, toggle, hrefOf, marksOf, endOf, current }: TreeRowProps) {
  const place = {
    id,
    role: "treeitem" as const,
    "aria-level": row.depth + 1,
    "aria-posinset": row.position,
    "aria-setsize": row.siblings,
    style: { "--depth": Math.min(row.depth, DEEPEST) },
    "data-row": true,
    "data-at": isAt || undefined,
  };
  if (row.is === "type")
    return (
      <a
        {...place}
        class="tree-row row-link"
        href={hrefOf(row.type)}
        tabIndex={-1}
        aria-current={row.type.event_type === current ? "true" : undefined}
        onClick={onPoint}
      >
        <TypeRow type={row.type} marksOf={marksOf} endOf={endOf} />
      </a>
    );
  const onClick = () => {
    onPoint();
    toggle(row.prefix);
  };
  return (
    <div {...place} class="tree-row" aria-expanded={row.isOpen} onClick={onClick}>
      <span class="tree-name">
        <Icon name={row.isOpen ? "down" : "right"} small />
        <span class="mono trunc">{visible(row.prefix)}</span>
        <span class="faint num">{row.types}</span>
      </span>
    </div>
  );
}

function TypeRow({ type, marksOf, endOf }: Pick<TreeRowProps, "marksOf" | "endOf"> & { type: EventType }) {
  const about = type.description ?? type.group;
  return (
    <>
      <span class="tree-name">
        <span class="mono strong trunc">{visible(type.event_type)}</span>
        {marksOf(type)}
      </span>
      <span class="tree-about dim trunc">{about === null ? "" : visible(about)}</span>
      <span class="tree-end">{endOf?.(type)}</span>
    </>
  );
}
