import { join } from "node:path";
import { type Bundle, ENTRIES, type EntryPoint, SOURCES } from "./bundle";

/** Files that are served unchanged. A changed file needs a new name. */
const PLAIN = {
  "inter-v4.woff2": "fonts/inter-v4.woff2",
  "geist-mono-v1.woff2": "fonts/geist-mono-v1.woff2",
  "icon-v1.svg": "icon.svg",
};

/** Builds the pages: minified, split at dynamic imports, with a hash of the content in each name. */
export async function buildBundle(): Promise<Bundle> {
  const { outputs } = await Bun.build({
    entrypoints: ["console.tsx", "console.css", "portal.tsx", "portal.css", "hermod-portal.ts"].map((name) =>
      join(SOURCES, name),
    ),
    root: SOURCES,
    target: "browser",
    splitting: true,
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" },
    // Otherwise Bun would inline fonts as data URLs, which the pages' content policy forbids.
    external: ["*.woff2"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const output of outputs)
    files.set(output.path.replace("./", ""), new Uint8Array(await output.arrayBuffer()));
  for (const [name, path] of Object.entries(PLAIN))
    files.set(name, await Bun.file(join(SOURCES, path)).bytes());
  const entries = Object.fromEntries(ENTRIES.map((entry) => [entry, nameOf(entry, [...files.keys()])]));
  return { files, entries: entries as Record<EntryPoint, string> };
}

function nameOf(entry: EntryPoint, names: readonly string[]): string {
  const [stem = "", extension = ""] = entry.split(".");
  const found = names.find((name) => new RegExp(`^${stem}-[0-9a-z]+\\.${extension}$`).test(name));
  if (found === undefined) throw new Error(`the build made no ${entry}`);
  return found;
}
