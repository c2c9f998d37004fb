// `bun run test`: the tests in processes with servers of their own, and one count of all at the end. `--unit` runs only those
// that need no server and start no process. `--update-timings` also writes how long each file took. Other arguments are those of
// `bun test`.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCluster, NEW_CLUSTER } from "./support/cluster-copy";
import { unitFiles } from "./support/unit-files";

/**
 * Most tests wait more than they work: two cores have room for what three of them do. On a given server one runs after the
 * other, since an open transaction holds back the lists of every database there.
 */
const PROCESSES = process.env.TEST_DATABASE_URL ? 1 : 3;
/** Unit tests only work. */
const UNIT_PROCESSES = 2;
/** Ends only a broken test, however busy the machine is. */
const TIMEOUT_MS = 120_000;
/** How long each file took; it says which ones go together. `bun run test:timings` writes it anew. */
const TIMINGS = "test/timings.json";

/** Has what the processes need and write, until the end. */
const folder = await mkdtemp(join(tmpdir(), "hermod-run-"));

/** Lines kept of what the runner printed before a failed test: the error, its source and its stack. */
const LINES_OF_FAILURE = 60;

type Counts = { pass: number; fail: number; code: number; failures: readonly string[] };

type Variables = Readonly<Record<string, string>>;

async function runShard(n: number, of: number, args: readonly string[], env: Variables): Promise<Counts> {
  // A process that updates timings writes those of its files to the first.
  const timings = [ownTimings(n), TIMINGS].map((path) => `--timings=${path}`);
  const options = [`--shard=${n}/${of}`, ...timings, `--timeout=${TIMEOUT_MS}`];
  const command = [process.execPath, "test", ...options, ...args];
  // Without `env`, a child gets the variables that this process started with.
  const shard = Bun.spawn(command, {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => shard.kill(signal));
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of shard.stderr) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return {
    pass: countIn(text, "pass"),
    fail: countIn(text, "fail"),
    code: await shard.exited,
    failures: failuresIn(text),
  };
}

/** Each failed test with the lines above it, up to the result of the test before. The runner's closing list repeats names alone. */
function failuresIn(text: string): string[] {
  const lines = text.split("\n");
  const isResult = (line: string) => /^\((pass|fail|skip|todo)\)/.test(line);
  const closing = lines.findLastIndex((line) => /^\d+ tests? failed:$/.test(line));
  const body = closing < 0 ? lines : lines.slice(0, closing);
  return body.flatMap((line, at) => {
    // A file that can't be loaded has no test that fails.
    if (line === "# Unhandled error between tests")
      return [body.slice(at - 2, at + LINES_OF_FAILURE / 4).join("\n")];
    if (!line.startsWith("(fail)")) return [];
    const before = body.slice(Math.max(0, at - LINES_OF_FAILURE), at);
    return [[...before.slice(before.findLastIndex(isResult) + 1), line].join("\n")];
  });
}

/** The last of the runner's closing lines: ` 123 pass`. */
function countIn(text: string, word: string): number {
  const found = [...text.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1);
  return Number(found?.[1] ?? 0);
}

async function runShards(processes: number, args: readonly string[], env: Variables): Promise<Counts[]> {
  return Promise.all(Array.from({ length: processes }, (_, i) => runShard(i + 1, processes, args, env)));
}

async function runAll(args: readonly string[]): Promise<Counts[]> {
  const [binary, cluster] = await Promise.all([buildBinary(), makeCluster()]);
  const counts = await runShards(PROCESSES, args, { TEST_HERMOD_BINARY: binary, [NEW_CLUSTER]: cluster });
  await rm(cluster, { recursive: true });
  return counts;
}

function ownTimings(n: number): string {
  return join(folder, `timings-${n}.json`);
}

type Timings = { files: Record<string, number> };

/** Joins the timings of all processes with those of files that did not run. The slowest come first. */
async function joinTimings(processes: number): Promise<void> {
  const paths = [TIMINGS, ...Array.from({ length: processes }, (_, i) => ownTimings(i + 1))];
  const read: Timings[] = await Promise.all(paths.map((path) => Bun.file(path).json()));
  const files = Object.entries(Object.assign({}, ...read.map(({ files }) => files)) as Timings["files"])
    .filter(([path]) => existsSync(path))
    .toSorted(([, a], [, b]) => b - a);
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files: Object.fromEntries(files) }, null, 2)}\n`);
}

/** Compiles the service to bytecode. Each start then takes 0.25 s of CPU instead of 0.7 s, and fault tests start it often. */
async function buildBinary(): Promise<string> {
  const out = join(folder, "binary");
  const command = [process.execPath, "deploy/binary.ts", "--bytecode", "--format=esm"];
  const child = Bun.spawn(command, { env: { ...process.env, OUT: out }, stdout: "ignore" });
  if ((await child.exited) !== 0) throw new Error("the binary could not be built");
  return join(out, "hermod");
}

const args = process.argv.slice(2);
const others = args.filter((each) => each !== "--unit");
const isUnit = others.length < args.length;
const counts = isUnit
  ? await runShards(UNIT_PROCESSES, [...(await unitFiles()), ...others], {})
  : await runAll(others);
if (args.includes("--update-timings")) await joinTimings(counts.length);
await rm(folder, { recursive: true });
const sum = (of: "pass" | "fail") => counts.reduce((all, shard) => all + shard[of], 0);
// Shards end at different times: without this, the failures of the first to end stand far above the last line.
for (const failure of counts.flatMap(({ failures }) => failures)) process.stdout.write(`\n${failure}\n`);
process.stdout.write(`\nin all\n ${sum("pass")} pass\n ${sum("fail")} fail\n`);
process.exit(Math.max(...counts.map(({ code }) => code)));
