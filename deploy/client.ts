// `bun run client:pack`: builds the client's package in dist/client (or $OUT) for npm and JSR, and packs it for npm.
import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import client from "../src/client/package.json";

const ROOT = join(import.meta.dir, "..");
const { OUT: folder = join(ROOT, "dist/client") } = process.env;

await rm(folder, { recursive: true, force: true });
await Bun.$`${process.execPath} x tsc -p tsconfig.client.json --outDir ${folder}`.cwd(ROOT);
for (const path of new Bun.Glob("**/*.{js,d.ts}").scanSync(folder)) await finish(path);
for (const path of ["src/client/package.json", "src/client/README.md", "LICENSE"])
  await cp(join(ROOT, path), join(folder, basename(path)));
await Bun.write(join(folder, "jsr.json"), JSON.stringify(forJsr(), null, 2));
await Bun.$`${process.execPath} pm pack`.cwd(folder);

/** Lets Deno find the types: it reads a name as it is written, and looks for no file of types beside a file of code. */
async function finish(path: string): Promise<void> {
  const file = Bun.file(join(folder, path));
  const text = await file.text();
  const isCode = path.endsWith(".js");
  const types = `./${basename(path, ".js")}.d.ts`;
  await file.write(
    isCode ? `/* @ts-self-types="${types}" */\n${text}` : text.replaceAll(/("\.{1,2}\/[^"]*)\.ts"/g, '$1.js"'),
  );
}

/** The package's description for JSR, which has scopes and no file of its own for dependencies. */
function forJsr() {
  const { version, license, exports, dependencies } = client;
  return {
    name: "@hermod/client",
    version,
    license,
    exports: Object.fromEntries(Object.entries(exports).map(([name, { default: file }]) => [name, file])),
    imports: Object.fromEntries(
      Object.entries(dependencies).map(([name, wanted]) => [name, `npm:${name}@${wanted}`]),
    ),
    publish: { include: ["LICENSE", "README.md", "**/*.js", "**/*.d.ts"] },
  };
}
