// `bun run binary`: builds dist/hermod (or $OUT), a folder with a program that needs no Bun and no packages. Its Postgres and NATS are yours.
// Further arguments go to `bun build`, such as --target=bun-linux-arm64.
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBundle } from "../src/api/console/write";

const ROOT = join(import.meta.dir, "..");
const { OUT: folder = join(ROOT, "dist/hermod") } = process.env;

/** The program, and the modules that it starts as threads. */
const ENTRIES = ["src/main.ts", "src/event-types/judge-thread.ts", "src/event-types/code/code-thread.ts"];

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await writeBundle(join(folder, "dist/console"));
await cp(join(ROOT, "drizzle"), join(folder, "drizzle"), { recursive: true });
const swaggerUi = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")));
for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
  await cp(join(swaggerUi, name), join(folder, "swagger", name));
for (const name of ["LICENSE", "SECURITY.md"]) await cp(join(ROOT, name), join(folder, name));
const outfile = join(folder, "hermod");
const command = [process.execPath, "build", "--compile", "--minify-whitespace", ...ENTRIES, "--outfile", outfile];
const child = Bun.spawn([...command, ...process.argv.slice(2)], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
process.exit(await child.exited);
