// `bun run test`: the tests in three processes that share their servers, and one count of all at the end. Arguments are
// those of `bun test`. Whoever has them run in one process calls `bun test` itself.
import { startTestServers } from "./support/servers";

/** Most tests wait more than they work: two cores have room for what three of them do. */
const PROCESSES = 3;
const TIMEOUT_MS = 30_000;
/** How long each file took; it says which ones go together. `bun run test:timings` writes it anew. */
const TIMINGS = "test/timings.json";

type Counts = { pass: number; fail: number; code: number };

async function runShard(n: number): Promise<Counts> {
  const options = [`--shard=${n}/${PROCESSES}`, `--timings=${TIMINGS}`, `--timeout=${TIMEOUT_MS}`];
  const command = [process.execPath, "test", ...options, ...process.argv.slice(2)];
  const shard = Bun.spawn(command, { stdin: "ignore", stdout: "inherit", stderr: "pipe" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => shard.kill(signal));
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of shard.stderr) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return { pass: countIn(text, "pass"), fail: countIn(text, "fail"), code: await shard.exited };
}

/** The last of the runner's closing lines: ` 123 pass`. */
function countIn(text: string, word: string): number {
  const found = [...text.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1);
  return Number(found?.[1] ?? 0);
}

const stopServers = await startTestServers();
const shards = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => runShard(i + 1)));
await stopServers();
const sum = (of: "pass" | "fail") => shards.reduce((all, shard) => all + shard[of], 0);
process.stdout.write(`\nin all\n ${sum("pass")} pass\n ${sum("fail")} fail\n`);
process.exit(Math.max(...shards.map(({ code }) => code)));
