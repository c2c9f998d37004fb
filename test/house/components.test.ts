import { expect, test } from "bun:test";
import { componentsOf } from "./components";
import { readSources, type Source } from "./sources";

/** A component has fewer lines than this, so that it fits a glance. */
const LINES = 60;

test("a component of the pages fits a glance", async () => {
  const components = componentsOf(await readSources());
  expect(components.length).toBeGreaterThan(100);
  expect(components.filter(({ lines }) => lines >= LINES)).toEqual([]);
});

test("a long component is found, whatever kind of function it is", () => {
  const lines = "\n".repeat(LINES);
  const text = `
    export function Declared() {${lines} return <p />; }
    const Arrow = () => (${lines} <></>);
    const inside = { Expression: function () {${lines} return <p />; } };
    function plain() {${lines} return 1; }
    function Outer() { const make = () => 1;${lines} return <p>{make()}</p>; }
  `;
  const source: Source = { path: "src/a.tsx", text, lines: 0, imports: [] };
  const found = componentsOf(new Map([[source.path, source]])).filter((each) => each.lines >= LINES);
  expect(found.map(({ name }) => name)).toEqual([
    "Declared",
    "(a function without a name)",
    "(a function without a name)",
    "Outer",
  ]);
});
