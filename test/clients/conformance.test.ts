import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { conform, readCases } from "./conformance";

const CLIENTS = join(import.meta.dir, "../../clients");

/** Compiling Go's library takes a minute; this folder keeps it for the next run. */
const GO_CACHE = join(tmpdir(), "hermod-go-cache");

const service = await useService();
const cases = await readCases();
const folder = await mkdtemp(join(tmpdir(), "hermod-clients-"));
atEnd(() => rm(folder, { recursive: true, force: true }));

/** Fails with the cases in which the client does not what the table says. */
async function assertConforms(command: readonly string[], options: Parameters<typeof conform>[3] = {}) {
  const results = await conform(service, cases, command, options);
  const problems = results.filter(({ problem }) => problem !== null);
  expect(problems).toEqual([]);
}

test("the TypeScript client conforms", async () => {
  await assertConforms([process.execPath, join(CLIENTS, "conformance/driver.ts")]);
});

const python = await pythonWithPackages();

describe.skipIf(!python)("the Python client", () => {
  test.each(["sync", "async"])("conforms: %s", async (form) => {
    await assertConforms([...(python?.command ?? []), join(CLIENTS, "conformance/driver.py"), form], {
      env: { PYTHONPATH: `${join(CLIENTS, "python")}:${python?.packages}`, PYTHONDONTWRITEBYTECODE: "1" },
    });
  });
});

const goDriver = await builtGoDriver();

test.skipIf(!goDriver)("the Go client conforms", async () => {
  await assertConforms([goDriver ?? ""]);
});

/** Builds the Go driver; null, with a note, if this machine has no Go that can. */
async function builtGoDriver(): Promise<string | null> {
  const program = Bun.which("go");
  const driver = join(folder, "go-driver");
  const env = {
    ...process.env,
    GOCACHE: GO_CACHE,
    GOTOOLCHAIN: "local",
    GOFLAGS: "-mod=mod",
  };
  const build = ["build", "-o", driver, "./cmd/conformance"];
  const built =
    program !== null &&
    (await Bun.$`${program} ${build}`.cwd(join(CLIENTS, "go")).env(env).quiet().nothrow()).exitCode === 0;
  if (!built) console.warn("The Go client is not run: it needs Go 1.24");
  return built ? driver : null;
}

/** Returns Python with the packages that its client needs; null, with a note, if this machine has no Python or can't install. */
async function pythonWithPackages() {
  const program = Bun.which("python3");
  const packages = join(folder, "python");
  const isNew = "import sys; sys.exit(sys.version_info < (3, 11))";
  const installed =
    program !== null &&
    (await Bun.$`${program} -c ${isNew}`.quiet().nothrow()).exitCode === 0 &&
    (await Bun.$`${program} -m pip install --quiet --target ${packages} httpx==0.28.1`.quiet().nothrow())
      .exitCode === 0;
  if (!installed) console.warn("The Python client is not run: it needs Python 3.11 and httpx");
  return installed ? { command: [program], packages } : null;
}
