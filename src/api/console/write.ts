// `bun run console:build`: builds the pages into dist/console, for packages and images.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle } from "./build";
import { BUILT, MANIFEST } from "./bundle";

export async function writeBundle(folder: string): Promise<void> {
  const { files, entries } = await buildBundle();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of files) await Bun.write(join(folder, name), bytes);
  await Bun.write(join(folder, MANIFEST), JSON.stringify(entries));
}

if (import.meta.main) await writeBundle(BUILT);
