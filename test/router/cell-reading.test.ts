import { expect, test } from "bun:test";
import { CellRefusal, readFromAll } from "../../src/router/cell-reading";
import { CellAway } from "../../src/router/forwarding";

const away = new CellAway("away", { isSent: true, isOutage: true }, null);
const refused = (status: number) => new CellRefusal(new Response(null, { status }));
const forbidden = refused(403);

test.each([
  [
    "the refusal of the token's cell, before other cells that lack the token",
    [refused(421), forbidden],
    forbidden,
  ],
  ["the refusal of the token's cell, before a cell that is down", [away, forbidden, refused(421)], forbidden],
  ["the cell that is down, before a cell that waits for it", [refused(503), away, refused(421)], away],
])("a list of all cells answers with %s", async (_, failures, expected) => {
  const read = (failure: Error) => Promise.reject(failure);
  expect(await readFromAll(failures, read).catch((error) => error)).toBe(expected);
});
