/** Longest name that is compared, in characters. Field names are shorter. */
const MAX_LENGTH = 64;
/** Shortest name that may be part of another, in characters. Shorter ones are part of too many names. */
const LEAST_PART = 3;

/**
 * Finds the candidate that a mistyped name most likely means; returns null if none is near. Ignores case, `_` and `-`, so
 * `endpointId` means `endpoint_id`. Part of a name means the whole: `filter` means `event_filter`.
 */
export function nearest(name: string, candidates: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  const plain = plainOf(name);
  const near = candidates
    .map((candidate) => ({ candidate, distance: distanceTo(plain, plainOf(candidate)) }))
    .filter(({ distance }) => distance !== null)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0));
  return near[0]?.candidate ?? null;
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Counts the edits between two names; returns null if they are too many for a typing error. */
function distanceTo(name: string, candidate: string): number | null {
  const isPartOfOther = isPart(name, candidate) || isPart(candidate, name);
  const mostEdits = Math.max(1, Math.floor(Math.min(name.length, candidate.length) / 3));
  if (!isPartOfOther && Math.abs(name.length - candidate.length) > mostEdits) return null;
  const edits = editsBetween(name, candidate);
  return isPartOfOther || edits <= mostEdits ? edits : null;
}

function isPart(part: string, whole: string): boolean {
  return part.length >= LEAST_PART && whole.includes(part);
}

/** Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (isSame ? 0 : 1), swapped));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Number.POSITIVE_INFINITY;
}
