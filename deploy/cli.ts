// `bun run cli:pack`: builds the command line's package in dist/cli (or $OUT) and packs it. It runs on Node, and needs no packages.
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** Has the API's document parsed as JSON, which takes half as long as compiling it. */
const documentAsText: Bun.BunPlugin = {
  name: "document as text",
  setup: (build) => {
    build.onLoad({ filter: /client.openapi\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(await Bun.file(path).json());
      return { loader: "js", contents: `module.exports = JSON.parse(${JSON.stringify(text)});` };
    });
  },
};

const { OUT: folder = join(ROOT, "dist/cli") } = process.env;

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
// In parts, so that most commands start without the generators of code and the server for agents.
await Bun.build({
  entrypoints: [join(ROOT, "src/cli/node.ts")],
  outdir: folder,
  naming: { entry: "hermod.js" },
  target: "node",
  splitting: true,
  minify: true,
  plugins: [documentAsText],
});
for (const path of ["src/cli/package.json", "src/cli/README.md", "LICENSE"])
  await cp(join(ROOT, path), join(folder, basename(path)));
const packing = Bun.spawn([process.execPath, "pm", "pack"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
process.exit(await packing.exited);
