// Preloaded by the process that delivers once: makes each function of `src` report that it runs.
import { relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { ROOT } from "./sources";

/** The functions that ran since the set was emptied, as `path:start:end` in the characters of their file. */
export const ran = new Set<string>();

declare global {
  var hermodRan: ((place: string) => void) | undefined;
}
globalThis.hermodRan = (place) => ran.add(place);

type Body = Readonly<{ start: number; end: number; type: string }>;
type Insertion = Readonly<{ at: number; text: string }>;

/** Returns the text with a report at the start of each function's body. */
function traced(path: string, text: string): string {
  const insertions: Insertion[] = [];
  const enter = ({ start, end, body }: { start: number; end: number; body: Body | null }) => {
    if (body === null) return;
    const report = `globalThis.hermodRan?.("${path}:${start}:${end}")`;
    if (body.type === "BlockStatement" || body.type === "FunctionBody")
      insertions.push({ at: body.start + 1, text: `${report};` });
    else insertions.push({ at: body.start, text: `(${report},` }, { at: body.end, text: ")" });
  };
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
  }).visit(parseSync(path, text).program);
  const inOrder = insertions.map((each, n) => ({ ...each, n })).sort((a, b) => b.at - a.at || b.n - a.n);
  let result = text;
  for (const { at, text: added } of inOrder) result = result.slice(0, at) + added + result.slice(at);
  return result;
}

Bun.plugin({
  name: "tracer",
  setup(build) {
    build.onLoad({ filter: /\/src\/[^.]*\.tsx?$/ }, async ({ path }) => {
      const loader = path.endsWith("x") ? "tsx" : "ts";
      const text = await Bun.file(path).text();
      return { contents: traced(relative(ROOT, path), text), loader };
    });
  },
});
