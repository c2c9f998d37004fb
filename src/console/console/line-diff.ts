import { diffArrays } from "diff";

/** A line of a comparison, or lines that both texts have and nobody needs to see. */
export type DiffLine =
  | Readonly<{ is: "same" | "added" | "removed"; text: string }>
  | Readonly<{ is: "skipped"; lines: number }>;

/** Most lines that are added and removed together before the texts count as wholly different: the search takes its square. */
export const MOST_CHANGES = 400;
/** Number of equal lines that are shown before and after each change. */
const CONTEXT = 3;

/** Compares two texts line by line. Leaves out equal lines far from a change. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const lines = comparedLines(before.split("\n"), after.split("\n"));
  const changes = lines.flatMap(({ is }, index) => (is === "same" ? [] : [index]));
  const near = new Set(
    changes.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, i) => at - CONTEXT + i)),
  );
  const shown: DiffLine[] = [];
  let skipped = 0;
  const skip = () => {
    if (skipped > 0) shown.push({ is: "skipped", lines: skipped });
    skipped = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) skipped++;
    else {
      skip();
      shown.push(line);
    }
  }
  skip();
  return shown;
}

type ComparedLine = Exclude<DiffLine, { is: "skipped" }>;

function comparedLines(before: readonly string[], after: readonly string[]): readonly ComparedLine[] {
  const of = (is: ComparedLine["is"], lines: readonly string[]) => lines.map((text) => ({ is, text }));
  const found = diffArrays([...before], [...after], { maxEditLength: MOST_CHANGES });
  if (found === undefined) return [...of("removed", before), ...of("added", after)];
  return found.flatMap(({ value, added, removed }) =>
    of(added ? "added" : removed ? "removed" : "same", value),
  );
}
