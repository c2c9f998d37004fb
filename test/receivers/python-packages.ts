import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REQUIREMENTS = join(import.meta.dir, "requirements.txt");

/** Python with the packages of requirements.txt, in a temporary folder. */
export class PythonPackages implements Disposable {
  private constructor(
    private readonly folder: string,
    /** The command; null if Python is not on this machine, or the packages could not be installed. */
    readonly python: string | null,
  ) {}

  static install(): PythonPackages {
    const folder = mkdtempSync(join(tmpdir(), "hermod-python-"));
    const python = join(folder, "bin", "python");
    const isInstalled =
      Bun.which("python3") !== null &&
      succeeds("python3", "-m", "venv", folder) &&
      succeeds(python, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS);
    return new PythonPackages(folder, isInstalled ? python : null);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

function succeeds(...command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdout: "ignore", stderr: "ignore" }).success;
}
