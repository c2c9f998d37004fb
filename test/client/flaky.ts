/** A request that the proxy in front of a service answers itself. */
export type Refusal = {
  status: number;
  retryAfter?: string;
  body?: string;
  /** True if the service carries the request out, and only its answer is lost. */
  isCarriedOut?: boolean;
};

export type Flaky = AsyncDisposable & {
  url: string;
  /** The requests that arrived, by method and path, with the refused ones. */
  seen: string[];
  /** Answers the next requests with further refusals. */
  refuse(refusals: readonly Refusal[]): void;
};

/** Answers the first requests with the refusals, and forwards later ones to `target`. */
export function flaky(target: string, refusals: readonly Refusal[]): Flaky {
  const seen: string[] = [];
  const waiting = [...refusals];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const refusal = waiting.shift();
      seen.push(`${request.method} ${pathname}`);
      const passOn = () => fetch(target + pathname + search, request);
      if (!refusal) return passOn();
      if (refusal.isCarriedOut) await passOn();
      const headers = refusal.retryAfter === undefined ? {} : { "retry-after": refusal.retryAfter };
      return new Response(refusal.body ?? "", { status: refusal.status, headers });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const refuse = (more: readonly Refusal[]) => void waiting.push(...more);
  return { url, seen, refuse, [Symbol.asyncDispose]: () => server.stop(true) };
}
