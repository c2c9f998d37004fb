import { dirname, join } from "node:path";

/** Where the modules of a binary are, made by `bun build --compile`. */
const INSIDE = "/$bunfs/root";

/** True in a binary, which carries its modules. */
export const isBinary = import.meta.dir.startsWith(INSIDE);

/** The folder of what is no module: the checkout's, or the binary's own. */
const ROOT = isBinary ? dirname(process.execPath) : join(import.meta.dir, "../..");

/** Returns the path of a file that Hermod is shipped with. */
export function shipped(path: string): string {
  return join(ROOT, path);
}

/** Returns the address of a thread's module, by its path below `src` without an ending. */
export function threadAt(module: string): string {
  return isBinary ? `${INSIDE}/${module}.js` : new URL(`../${module}.ts`, import.meta.url).href;
}
