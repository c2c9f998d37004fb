import { existsSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "../../runtime/shipped";

/** The pages' sources. Packages and images have the built files instead. */
export const SOURCES = shipped("src/console");
/** The folder of the files that `bun run console:build` writes. */
export const BUILT = shipped("dist/console");

/** The programs and styles to which the pages' HTML refers. */
export const ENTRIES = ["console.js", "console.css", "portal.js", "portal.css", "hermod-portal.js"] as const;
export type EntryPoint = (typeof ENTRIES)[number];

/** The built files by name, and the name of each entry, which contains a hash of its content. */
export type Bundle = Readonly<{
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  entries: Readonly<Record<EntryPoint, string>>;
}>;

export const MANIFEST = "manifest.json";

/** Loads the built files, or builds them if the sources exist. */
export async function loadBundle(): Promise<Bundle> {
  return existsSync(SOURCES) ? buildInThread() : readBundle(BUILT);
}

/** Reads the files that `console:build` wrote. */
export async function readBundle(folder: string): Promise<Bundle> {
  const entries: Bundle["entries"] = await Bun.file(join(folder, MANIFEST)).json();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for await (const name of new Bun.Glob("*").scan(folder))
    if (name !== MANIFEST) files.set(name, await Bun.file(join(folder, name)).bytes());
  return { files, entries };
}

/** Builds in a thread of its own, since in this thread deliveries would wait. */
function buildInThread(): Promise<Bundle> {
  const worker = new Worker(new URL("./build-thread.ts", import.meta.url).href);
  return new Promise<Bundle>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Bundle>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`the console can't be built: ${message}`));
  }).finally(() => worker.terminate());
}
