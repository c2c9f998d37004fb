import { expect, test } from "bun:test";
import { sharedNamesOf } from "./names";
import { readSources } from "./sources";

test("the name of a type means one thing", async () => {
  const shared = sharedNamesOf(await readSources());
  expect(shared.map(({ name, paths }) => `${name}: ${paths.join(" ")}`)).toEqual([]);
});
