import { afterAll } from "bun:test";

type Undo = () => unknown;

const undos: Undo[] = [];

/**
 * Undoes something after the last test of the file that calls this while it is loaded. The last thing made is undone first,
 * so that a runner stops before its database is dropped. `afterAll` alone keeps the other order.
 */
export function atEnd(undo: Undo): void {
  undos.push(undo);
  afterAll(() => undos.pop()?.());
}
