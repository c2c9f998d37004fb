import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** Modules that start servers or processes. A test file that imports one of them is not a unit test. */
const NEEDS_MORE = [/^test\/support\/servers\.ts$/, /^src\/embedded\//, /^test\/faults\//, /^test\/bench\//];
const STARTS_A_PROCESS = /\bBun\.spawn|\bnode:child_process\b/;

const transpiler = new Bun.Transpiler({ loader: "ts" });
const known = new Map<string, boolean>();

/** Returns true if a file, or one that it imports, starts servers or processes. */
async function needsMore(path: string): Promise<boolean> {
  const found = known.get(path);
  if (found !== undefined) return found;
  // Breaks import cycles: a file needs no more than its other imports do.
  known.set(path, false);
  const answer = NEEDS_MORE.some((each) => each.test(path)) || (await reachesMore(path));
  known.set(path, answer);
  return answer;
}

async function reachesMore(path: string): Promise<boolean> {
  const text = await Bun.file(join(ROOT, path)).text();
  if (path.startsWith("test/") && STARTS_A_PROCESS.test(text)) return true;
  for (const imported of importsOf(path, text)) if (await needsMore(imported)) return true;
  return false;
}

function importsOf(path: string, text: string): string[] {
  const own = transpiler.scanImports(text).filter(({ path: to }) => to.startsWith("."));
  return own.map(({ path: to }) => resolve(join(dirname(path), to))).filter((to) => to.endsWith(".ts"));
}

function resolve(path: string): string {
  return Bun.resolveSync(`./${path}`, ROOT).slice(ROOT.length + 1);
}

/** Returns the test files that need no server and start no process, by their imports. */
export async function unitFiles(): Promise<string[]> {
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(ROOT)].sort();
  const units: string[] = [];
  for (const file of files) if (!(await needsMore(file))) units.push(file);
  return units;
}
