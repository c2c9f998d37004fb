import type { EventType } from "../../client/types";

/** Most event types that a page reads, the newest ones. */
export const MOST_TYPES = 5_000;

/** A row of the tree: an event type, or the beginning that several have in common. */
export type TreeRow = Readonly<{ depth: number; position: number; siblings: number }> &
  (
    | Readonly<{ is: "type"; type: EventType }>
    | Readonly<{ is: "branch"; prefix: string; types: number; isOpen: boolean }>
  );

type TreeNode =
  | Readonly<{ is: "type"; name: string; type: EventType }>
  | Readonly<{ is: "branch"; name: string; types: number; children: readonly TreeNode[] }>;

/** Groups event types by what their dotted names have in common. A branch has at least two types. */
export function treeOf(types: readonly EventType[]): readonly TreeNode[] {
  // A type that becomes new while the pages are read can be on two of them.
  const known = new Map(types.map((type) => [type.event_type, type]));
  return childrenOf(
    [...known].map(([name, type]) => ({ type, parts: name.split(".") })),
    0,
  );
}

/** Sorts `v2` before `v10`. */
const byName = new Intl.Collator(undefined, { numeric: true });

type SplitType = Readonly<{ type: EventType; parts: readonly string[] }>;

function childrenOf(types: readonly SplitType[], depth: number): readonly TreeNode[] {
  const groups = Map.groupBy(types, ({ parts }) => parts[depth] ?? null);
  const nodes = [...groups.values()].map((group) => nodeOf(group, depth));
  return nodes.toSorted((a, b) => byName.compare(a.name, b.name));
}

function nodeOf(types: readonly SplitType[], depth: number): TreeNode {
  const [first, second] = types;
  if (first !== undefined && second === undefined)
    return { is: "type", name: first.type.event_type, type: first.type };
  const parts = first?.parts ?? [];
  let shared = depth + 1;
  while (shared < parts.length && types.every((each) => each.parts[shared] === parts[shared])) shared++;
  return {
    is: "branch",
    name: parts.slice(0, shared).join("."),
    types: types.length,
    children: childrenOf(types, shared),
  };
}

/** Lists the rows of open branches, top down. */
export function rowsOf(
  nodes: readonly TreeNode[],
  isOpen: (prefix: string) => boolean,
  depth = 0,
): readonly TreeRow[] {
  return nodes.flatMap((node, index): readonly TreeRow[] => {
    const place = { depth, position: index + 1, siblings: nodes.length };
    if (node.is === "type") return [{ ...place, is: "type", type: node.type }];
    const { name: prefix, types, children } = node;
    const branch = { ...place, is: "branch", prefix, types, isOpen: isOpen(prefix) } as const;
    return branch.isOpen ? [branch, ...rowsOf(children, isOpen, depth + 1)] : [branch];
  });
}

/** Returns the event types that have the text in their name, group or description, in small letters. */
export function searchTypes(types: readonly EventType[], text: string): readonly EventType[] {
  if (text === "") return types;
  return types.filter(({ event_type, group, description }) =>
    [event_type, group, description].some((each) => each?.toLowerCase().includes(text)),
  );
}

/** The name of a row, which no other row of the tree has. */
export function keyOfRow(row: TreeRow): string {
  return row.is === "type" ? `type ${row.type.event_type}` : `branch ${row.prefix}`;
}

/** Returns the index of the branch that a row is in; -1 at the top. */
export function parentOf(rows: readonly TreeRow[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  return rows.findLastIndex((row, i) => i < index && row.depth < depth);
}
