import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** The limit of open files. Bun itself takes about 25. */
const OPEN_FILES = 128;

const EXHAUST = `
import { openSync } from "node:fs";
function exhaust() {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch (error) {
    if (error.code !== "EMFILE") throw error;
  }
}
`;

/**
 * Runs a script from the root of the repository and returns its output. The script can call `exhaust()`, after which its
 * process can open no file.
 */
export async function runOutOfDescriptors(script: string, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(
    ["sh", "-c", `ulimit -n ${OPEN_FILES} && "$1" -e "$2"`, "sh", process.execPath, EXHAUST + script],
    { cwd: ROOT, env: { PATH: process.env.PATH ?? "", ...env }, stdin: "ignore", stdout: "pipe" },
  );
  return (await new Response(child.stdout).text()).trim();
}
