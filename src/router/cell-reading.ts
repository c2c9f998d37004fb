import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { CellAway, type Forwardable } from "./forwarding";
import type { RemoteCell } from "./remote-cell";

/** A cell refused what the router read for a request. The client gets the cell's own answer. */
export class CellRefusal extends Error {
  constructor(readonly answer: Response) {
    super(`a cell answered ${answer.status}`);
    this.name = "CellRefusal";
  }
}

/** Reads from a cell with the rights of a request. Throws `CellAway` and `CellRefusal`. */
export async function readFromCell<T extends TSchema>(
  asked: Forwardable,
  cell: RemoteCell,
  target: string,
  schema: T,
  headMs?: number,
): Promise<Static<T>> {
  const reading = { ...asked, method: "GET", target, headers: headersOf(asked), body: null };
  const answer = await cell.send(reading, headMs);
  if (answer.status !== 200) throw new CellRefusal(answer);
  const read: unknown = await answer.json();
  if (Value.Check(schema, read)) return read;
  throw new Error(`the cell ${cell.name} answered ${target} in another form: it runs another version`);
}

/**
 * Reads from several cells at once. Throws what one of them throws: first the refusal of the cell that has the token, since other
 * cells answer 421 for a token without rights.
 */
export async function readFromAll<Cell, T>(
  cells: readonly Cell[],
  read: (cell: Cell) => Promise<T>,
): Promise<T[]> {
  const results = await Promise.allSettled(cells.map(read));
  const failures = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const isRefusal = (error: unknown) =>
    error instanceof CellRefusal && error.answer.status < 500 && error.answer.status !== 421;
  const isAway = (error: unknown) => error instanceof CellAway;
  if (failures.length > 0) throw failures.find(isRefusal) ?? failures.find(isAway) ?? failures[0];
  return results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function headersOf({ headers }: Forwardable): Headers {
  const reading = new Headers(headers);
  for (const name of [...reading.keys()]) {
    if (name.startsWith("content-") || name === "idempotency-key") reading.delete(name);
  }
  reading.set("accept-encoding", "identity");
  return reading;
}
