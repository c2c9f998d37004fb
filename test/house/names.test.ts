import { expect, test } from "bun:test";
import { sharedNamesOf } from "./names";
import { readSources } from "./sources";

/** None is shared today. Changes that are made beside each other may share a few names until somebody gives each a noun of its own. */
const HEADROOM = 3;

test("the name of a type means one thing", async () => {
  const shared = sharedNamesOf(await readSources()).map(({ name, paths }) => `${name}: ${paths.join(" ")}`);
  expect({ shared, isOver: shared.length > HEADROOM }).toEqual({ shared, isOver: false });
});
