import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLIENTS } from "../../clients/toolchains";

export const RECEIVERS = join(import.meta.dir, "../../../docs/receiving");
const ROOT = join(import.meta.dir, "../../..");

/** Keeps npm's packages for the next run: they take a minute. */
const NPM_FOLDER = join(tmpdir(), "hermod-receivers-npm");

/** Where Python finds the client, and the receiver. */
export const PYTHON_PATH = `.:${join(CLIENTS, "python")}`;

/** What the receivers of docs/receiving/ need on this machine. Null where something is missing. */
export class Workshop implements Disposable {
  private constructor(
    private readonly folder: string,
    /** Node of a version that has SQLite; its modules are those of npm. */
    readonly node: string | null,
    /** Python with the packages of requirements.txt and the client. */
    readonly python: string | null,
  ) {}

  static open(python: string | null): Workshop {
    const folder = mkdtempSync(join(installedPackages() ?? tmpdir(), "receivers-"));
    const node = join(NPM_FOLDER, "node_modules/.bin/node");
    return new Workshop(folder, existsSync(node) ? node : null, python);
  }

  /** Copies a receiver into a folder of its own, on a port of its own. */
  copyOf(name: string, port: number): string {
    const folder = join(this.folder, name);
    cpSync(join(RECEIVERS, name), folder, { recursive: true });
    for (const file of readdirSync(folder).filter((each) => each.startsWith("receiver."))) {
      const path = join(folder, file);
      writeFileSync(path, readFileSync(path, "utf8").replaceAll("4000", String(port)));
    }
    return folder;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Installs npm's packages and the packed client. Returns their folder; null if npm could not. */
function installedPackages(): string | null {
  mkdirSync(NPM_FOLDER, { recursive: true });
  copyFileSync(join(import.meta.dir, "package.json"), join(NPM_FOLDER, "package.json"));
  const pack = join(NPM_FOLDER, "pack");
  rmSync(pack, { recursive: true, force: true });
  const isInstalled =
    succeeds(["bun", "run", "client:pack"], { cwd: ROOT, env: { OUT: pack } }) &&
    succeeds(["npm", "install", "--no-audit", "--no-fund", "--no-save", ...tarballsIn(pack)], {
      cwd: NPM_FOLDER,
    });
  return isInstalled ? NPM_FOLDER : null;
}

function tarballsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(folder, name));
}

/** Builds the receiver in Go; null if this machine has no Go that can. */
export function builtInGo(folder: string): string | null {
  if (Bun.which("go") === null) return null;
  const module = `module receiver\n\ngo 1.25\n\nrequire hermod v0.0.0\n\nrequire github.com/jackc/pgx/v5 v5.13.0\n\n`;
  writeFileSync(join(folder, "go.mod"), `${module}replace hermod => ${join(CLIENTS, "go")}\n`);
  const program = join(folder, "receiver");
  const env = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
  return succeeds(["go", "build", "-o", program, "."], { cwd: folder, env }) ? program : null;
}

export function succeeds(
  command: readonly string[],
  { cwd, env = {} }: Readonly<{ cwd: string; env?: Record<string, string> }>,
): boolean {
  const { success } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdout: "ignore",
    stderr: "inherit",
  });
  return success;
}
