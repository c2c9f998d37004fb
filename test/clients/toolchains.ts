import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CLIENTS = join(import.meta.dir, "../../clients");

type Environment = Record<string, string>;
/** A command that runs programs of a language, with the client of this repository. */
export type Toolchain = Readonly<{ command: readonly string[]; env: Environment }>;

const GO_ENV = {
  ...process.env,
  // Compiling Go's library takes a minute; this folder keeps it for the next run.
  GOCACHE: join(tmpdir(), "hermod-go-cache"),
  GOTOOLCHAIN: "local",
  GOFLAGS: "-mod=mod",
};

/** Python with its client's packages and `more`; null, with a note, if this machine has no Python or can't install. */
export async function pythonToolchain(...more: readonly string[]): Promise<Toolchain | null> {
  const program = Bun.which("python3");
  const isNew = "import sys; sys.exit(sys.version_info < (3, 11))";
  const isUsable = program !== null && (await succeeds([program, "-c", isNew]));
  const packages = isUsable ? await pythonPackages(program, ["httpx==0.28.1", ...more]) : null;
  if (!program || !packages) {
    console.warn(`The Python client is not run: it needs Python 3.11 and ${["httpx", ...more].join(", ")}`);
    return null;
  }
  const env = { PYTHONPATH: `${join(CLIENTS, "python")}:${packages}`, PYTHONDONTWRITEBYTECODE: "1" };
  return { command: [program], env };
}

/** Installs packages into a folder that the next run uses again, since pip takes seconds. */
async function pythonPackages(program: string, wanted: readonly string[]): Promise<string | null> {
  const folder = join(tmpdir(), `hermod-python-${wanted.join("-")}`);
  const isThere = () => Bun.file(join(folder, "httpx/__init__.py")).exists();
  if (await isThere()) return folder;
  const made = await mkdtemp(`${folder}-`);
  const installed = await succeeds([program, "-m", "pip", "install", "--quiet", "--target", made, ...wanted]);
  // Another run may have been quicker.
  if (installed) await rename(made, folder).catch(() => {});
  await rm(made, { recursive: true, force: true });
  return (await isThere()) ? folder : null;
}

/** Builds a program in Go; null, with a note, if this machine has no Go that can. Throws if the program is wrong. */
export async function goProgram(
  folder: string,
  packagePath: string,
  program: string,
): Promise<string | null> {
  const go = Bun.which("go");
  const version = go === null ? "" : await Bun.$`${go} env GOVERSION`.env(GO_ENV).nothrow().text();
  if (go === null || !Bun.semver.satisfies(version.trim().replace("go", ""), ">=1.24.0")) {
    console.warn("The Go client is not run: it needs Go 1.24");
    return null;
  }
  await Bun.$`${go} build -o ${program} ${packagePath}`.cwd(folder).env(GO_ENV).quiet();
  return program;
}

/**
 * Java that runs a source file with its client, or one of `JAVA_SOURCES` by its class; null, with a note, if this machine has no JDK
 * that can.
 */
export async function javaToolchain(): Promise<Toolchain | null> {
  const [compiler, runner] = [Bun.which("javac"), Bun.which("java")];
  if (!compiler || !runner || !(await succeeds([compiler, "--release", "17", "--version"]))) {
    console.warn("The Java client is not run: it needs a JDK 17");
    return null;
  }
  // A short program is done before the optimizing compiler has paid.
  const quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
  const classes = await javaClasses([compiler, ...quick.map((option) => `-J${option}`)]);
  return { command: [runner, ...quick, "-cp", classes], env: {} };
}

/** The client, and the programs of the tests. */
const JAVA_SOURCES = [
  "clients/java/src/main/java/**/*.java",
  "clients/conformance/*.java",
  "test/clients/*.java",
];

/** Compiles them into a folder that other files and runs use again, until they change. */
async function javaClasses(compiler: readonly string[]): Promise<string> {
  const root = join(CLIENTS, "..");
  const files = JAVA_SOURCES.flatMap((each) => [...new Bun.Glob(each).scanSync(root)]).sort();
  const hash = new Bun.CryptoHasher("sha256");
  for (const each of files) hash.update(`${each}\n${await Bun.file(join(root, each)).text()}`);
  const folder = join(tmpdir(), `hermod-java-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const made = await mkdtemp(`${folder}-`);
  await Bun.$`${compiler} -proc:none -d ${made} ${files}`.cwd(root).quiet();
  // Another run may have been quicker.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
  return folder;
}

/** Postgres' driver for Java; null, with a note, if this machine can't install it. */
export async function postgresForJava(): Promise<string | null> {
  const [maven, name] = [Bun.which("mvn"), "postgresql-42.7.7.jar"];
  const folder = join(tmpdir(), "hermod-java-postgres");
  const install = ["-q", "-B", "dependency:copy", "-Dartifact=org.postgresql:postgresql:42.7.7"];
  // Maven takes seconds, so the next run uses the folder again.
  if (!existsSync(join(folder, name)) && maven)
    await succeeds([maven, ...install, `-DoutputDirectory=${folder}`]);
  if (existsSync(join(folder, name))) return join(folder, name);
  console.warn("The Java inbox is not run: it needs Maven and Postgres' driver");
  return null;
}

async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await Bun.spawn([...command], { stdout: "ignore", stderr: "ignore" }).exited) === 0;
}
