import { hasCode } from "../../src/runtime/errors";

/** Below the ports that systems give out by themselves: 32,768 and above on Linux, 49,152 and above elsewhere. */
const [LEAST, COUNT] = [20_000, 12_000];

const given = new Set<number>();

/**
 * Finds a port that no program listens on, for a program that must know its port before it starts. Returns each port once. A
 * port that the system gives out could be given to another program meanwhile.
 */
export function freePort(): number {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if (isFree(port)) return port;
  }
}

function isFree(port: number): boolean {
  try {
    using _server = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response() });
    return true;
  } catch (error) {
    if (!hasCode(error, "EADDRINUSE")) throw error;
    return false;
  }
}
