import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Forwardable } from "./forwarding";
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
): Promise<Static<T>> {
  const answer = await cell.send({ ...asked, method: "GET", target, headers: headersOf(asked), body: null });
  if (answer.status !== 200) throw new CellRefusal(answer);
  const read: unknown = await answer.json();
  if (Value.Check(schema, read)) return read;
  throw new Error(`the cell ${cell.name} answered ${target} in another form: it runs another version`);
}

function headersOf({ headers }: Forwardable): Headers {
  const reading = new Headers(headers);
  for (const name of [...reading.keys()]) {
    if (name.startsWith("content-") || name === "idempotency-key") reading.delete(name);
  }
  reading.set("accept-encoding", "identity");
  return reading;
}
