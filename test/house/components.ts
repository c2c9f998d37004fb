import { parseSync, Visitor } from "oxc-parser";
import type { Source, Sources } from "./sources";

/** A function that draws: it has JSX of its own, outside the functions in it. */
export type Component = Readonly<{ path: string; name: string; lines: number }>;

/** Returns the components of all source files, with the lines from their first to their last. */
export function componentsOf(sources: Sources): Component[] {
  return [...sources.values()].filter(({ path }) => path.endsWith(".tsx")).flatMap(componentsIn);
}

type FunctionNode = Readonly<{ start: number; end: number; id?: { name: string } | null }>;

function componentsIn({ path, text }: Pick<Source, "path" | "text">): Component[] {
  const found: Component[] = [];
  const open: { name: string; draws: boolean }[] = [];
  const enter = ({ id }: FunctionNode) =>
    open.push({ name: id?.name ?? "(a function without a name)", draws: false });
  const leave = ({ start, end }: FunctionNode) => {
    const left = open.pop();
    if (left?.draws) found.push({ path, name: left.name, lines: text.slice(start, end).split("\n").length });
  };
  const draw = () => {
    const innermost = open.at(-1);
    if (innermost) innermost.draws = true;
  };
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    JSXElement: draw,
    JSXFragment: draw,
  }).visit(parseSync(path, text).program);
  return found;
}
