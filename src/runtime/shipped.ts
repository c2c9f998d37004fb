import { dirname, join } from "node:path";

/** The folder of the modules in a binary made by `bun build --compile`. */
const INSIDE = "/$bunfs/root";

/** True in a binary, which contains its modules. */
export const isBinary = import.meta.dir.startsWith(INSIDE);

/** The folder of the other files: the checkout, or the folder of the binary. */
const ROOT = isBinary ? dirname(process.execPath) : join(import.meta.dir, "../..");

/** Returns the path of a file that is shipped with Hermod. */
export function shipped(path: string): string {
  return join(ROOT, path);
}

/** Returns the address of a thread's module. `module` is its path below `src`, without the extension. */
export function threadAt(module: string): string {
  return isBinary ? `${INSIDE}/${module}.js` : new URL(`../${module}.ts`, import.meta.url).href;
}
