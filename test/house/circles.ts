import type { Sources } from "./sources";

/**
 * Returns the groups of files that import each other, directly or through others (Tarjan's strongly connected components). Each
 * group is in alphabetical order.
 */
export function circlesOf(sources: Sources): string[][] {
  const found = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): { index: number; low: number; isOpen: boolean } => {
    const at = { index: found.size, low: found.size, isOpen: true };
    found.set(path, at);
    open.push(path);
    for (const { to } of sources.get(path)?.imports ?? []) {
      const next = found.get(to);
      if (!next) at.low = Math.min(at.low, visit(to).low);
      else if (next.isOpen) at.low = Math.min(at.low, next.index);
    }
    if (at.low === at.index) close(path);
    return at;
  };
  const close = (first: string) => {
    const group = open.splice(open.indexOf(first));
    for (const path of group) {
      const at = found.get(path);
      if (at) at.isOpen = false;
    }
    if (group.length > 1) circles.push(group.sort());
  };
  for (const path of sources.keys()) if (!found.has(path)) visit(path);
  return circles.sort();
}
