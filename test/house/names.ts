import type { Source, Sources } from "./sources";

/** Publishes the API's types under their own names. */
const REPUBLISHED = "src/client/types.ts";

/** A name that several files declare as a type, each with a meaning of its own. */
export type SharedName = Readonly<{ name: string; paths: readonly string[] }>;

/** Returns the names of types that two files or more declare. An alias of the API's type of the same name is that type. */
export function sharedNamesOf(sources: Sources): SharedName[] {
  const declared = [...sources.values()].flatMap((source) =>
    typesOf(source).map((name) => ({ name, path: source.path })),
  );
  const byName = Map.groupBy(declared, ({ name }) => name);
  return [...byName]
    .map(([name, places]) => ({ name, paths: [...new Set(places.map(({ path }) => path))] }))
    .filter(({ paths }) => paths.length > 1)
    .sort((a, b) => b.paths.length - a.paths.length || a.name.localeCompare(b.name));
}

function typesOf({ path, text }: Source): string[] {
  if (path === REPUBLISHED) return [];
  return [...text.matchAll(/^(?:export )?(?:abstract )?(?:type|interface|class|enum) (\w+)(.*)$/gm)]
    .filter(([, name, rest = ""]) => !rest.includes(`components["schemas"]["${name}"]`))
    .map(([, name = ""]) => name);
}
