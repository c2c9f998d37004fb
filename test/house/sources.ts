import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

export const ROOT = join(import.meta.dir, "../..");

/** Made from the OpenAPI document, and not in git. */
const GENERATED = "src/client/openapi.ts";

/** An import or re-export of another source file. Its names are those that the importer uses. */
export type Import = Readonly<{ to: string; names: readonly string[] }>;

/** A source file, by its path from the root of the repository. */
export type Source = Readonly<{ path: string; text: string; lines: number; imports: readonly Import[] }>;

export type Sources = ReadonlyMap<string, Source>;

/** Reads all source files in `src` that are in git. Type-only imports count as imports: whoever reads a file must open its types. */
export async function readSources(): Promise<Sources> {
  const paths = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)]
    .filter((path) => path !== GENERATED)
    .sort();
  const known = new Set(paths);
  const read = async (path: string): Promise<[string, Source]> => {
    const text = await Bun.file(join(ROOT, path)).text();
    return [path, { path, text, lines: text.split("\n").length - 1, imports: importsOf(path, text, known) }];
  };
  return new Map(await Promise.all(paths.map(read)));
}

function importsOf(path: string, text: string, known: ReadonlySet<string>): Import[] {
  const { module } = parseSync(path, text);
  const fixed = module.staticImports.map(({ moduleRequest, entries }) => ({
    from: moduleRequest.value,
    names: entries.map(({ localName }) => localName.value),
  }));
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest ? [{ from: moduleRequest.value, names: [] }] : [])),
  );
  const lazy = module.dynamicImports.map(({ moduleRequest }) => ({
    from: text.slice(moduleRequest.start, moduleRequest.end).replaceAll('"', ""),
    names: [],
  }));
  return [...fixed, ...passedOn, ...lazy].flatMap(({ from, names }) => {
    const to = from.startsWith(".") ? fileAt(normalize(join(dirname(path), from)), known) : null;
    return to === null ? [] : [{ to, names }];
  });
}

function fileAt(path: string, known: ReadonlySet<string>): string | null {
  return ["", ".ts", ".tsx", "/index.ts"].map((end) => path + end).find((each) => known.has(each)) ?? null;
}

/** Returns the room of a file, which is its folder in `src`; `src` itself for `src/main.ts`. */
export function roomOf(path: string): string {
  const [src = "", room, file] = path.split("/");
  return file === undefined || room === undefined ? src : room;
}
