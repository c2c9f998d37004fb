import type { MaybeRow, PendingQuery } from "postgres";

/** A statement, or a piece of one, as the driver holds it; it publishes nothing of this. */
type Piece = { strings: readonly string[]; args: readonly unknown[]; options: { prepare?: boolean } };

/**
 * Which statements may stay prepared, of a kind that has ever so many variants: the first so many that there are. A prepared
 * statement stays as long as its connection lives, and its plan takes Postgres one to two megabytes where there are many
 * time partitions (measured with 40). The others are planned each time, which takes 3 to 10 ms.
 */
export class KeptPlans {
  private readonly texts = new Set<string>();

  constructor(private readonly most: number) {}

  /** The statement, which is prepared or planned for this one time. */
  of<T extends readonly MaybeRow[]>(query: PendingQuery<T>): PendingQuery<T> {
    const piece = query as unknown as Piece;
    piece.options.prepare = this.keeps(textOf(piece));
    return query;
  }

  private keeps(text: string): boolean {
    if (this.texts.size < this.most) this.texts.add(text);
    return this.texts.has(text);
  }
}

/** The same of two statements that Postgres gets as one, with other values. */
function textOf({ strings, args }: Piece): string {
  return strings.map((string, i) => string + (isPiece(args[i]) ? textOf(args[i]) : "$")).join("");
}

function isPiece(argument: unknown): argument is Piece {
  return typeof argument === "object" && argument !== null && "strings" in argument;
}
