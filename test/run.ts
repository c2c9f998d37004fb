// `bun run test`: the tests in two processes at a time, on servers that both use. Arguments are those of `bun test`.
import { startTestServers } from "./support/servers";

/** Most tests wait more than they work. */
const PROCESSES = 2;
const TIMEOUT_MS = 30_000;

const stopServers = await startTestServers();
const command = [process.execPath, "test", `--parallel=${PROCESSES}`, `--timeout=${TIMEOUT_MS}`];
const tests = Bun.spawn([...command, ...process.argv.slice(2)], { stdio: ["ignore", "inherit", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
const code = await tests.exited;
await stopServers();
process.exit(code);
