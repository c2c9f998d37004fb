// `bun run dev`: keeps Postgres and NATS running, and restarts Hermod whenever a source file changes.
import { resolve } from "node:path";

const MAIN = resolve(import.meta.dir, "main.ts");

const services = Bun.spawn([process.execPath, MAIN, "services"], { stdio: ["ignore", "pipe", "inherit"] });
let service: Bun.Subprocess | null = null;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
stopping.signal.addEventListener("abort", () => service?.kill("SIGTERM"));

const urls = await readUrls(services.stdout);
if (urls !== null && !stopping.signal.aborted) {
  const command = [process.execPath, "--watch", "--no-clear-screen", MAIN];
  // Clears the `_FILE` variables, which exclude the addresses. Empty counts as not set.
  // One process, so that the watch sees its end.
  const env = { HERMOD_PROCESSES: "1", ...process.env, ...urls, DATABASE_URL_FILE: "", NATS_URL_FILE: "" };
  service = Bun.spawn(command, { env, stdio: ["ignore", "inherit", "inherit"] });
  await service.exited;
}
services.kill("SIGTERM");
process.exit(await services.exited);

/** Reads the lines `DATABASE_URL=…` and `NATS_URL=…` that the servers print; null if the servers end before. */
async function readUrls(output: ReadableStream<Uint8Array>): Promise<Record<string, string> | null> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true });
    const found = text.matchAll(/^(DATABASE_URL|NATS_URL)=(.+)\n/gm);
    const urls = Object.fromEntries(found.map(([, name, url]) => [name, url]));
    if (Object.keys(urls).length === 2) return urls;
  }
  return null;
}
