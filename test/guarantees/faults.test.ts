import { expect, setDefaultTimeout, test } from "bun:test";
import { runFaults } from "../faults/run";

setDefaultTimeout(120_000);

test("every promise is kept while processes, servers and networks fail at random", async () => {
  const { violations, misfits, accepted } = await runFaults({ seed: 3, seconds: 7, note: () => {} });
  expect(violations).toEqual([]);
  expect(misfits).toEqual([]);
  expect(accepted).toBeGreaterThan(500);
});
