import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { hasCode } from "../runtime/errors";
import { readIfPresent } from "../runtime/files";
import { StartError } from "./server";

export const LOOPBACK = "127.0.0.1";

const ATTEMPTS = 5;

/**
 * Starts a server on the `fixed` port, or on a free one: the port of the last run, stored in `file`, if it is still free. Tries
 * another port if a program takes the free port before the server does.
 */
export async function onPort<T>(
  file: string,
  fixed: number | undefined,
  start: (port: number) => Promise<T>,
): Promise<T> {
  if (fixed !== undefined) return start(fixed);
  for (let attempt = 1; ; attempt++) {
    const port = (attempt === 1 ? await lastPort(file) : undefined) ?? (await freePort());
    try {
      const started = await start(port);
      await writeFile(file, `${port}\n`, { mode: 0o600 });
      return started;
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof StartError && error.portTaken)) throw error;
    }
  }
}

async function lastPort(file: string): Promise<number | undefined> {
  const port = Number(await readIfPresent(file));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return listenOnce(port).catch((error) => {
    if (hasCode(error, "EADDRINUSE", "EACCES")) return undefined;
    throw error;
  });
}

/** Finds a port that no program listens on now. */
function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Listens on a port, or on any free one for 0, and closes it again. Resolves with its number. */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
