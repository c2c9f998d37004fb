/** A host that publishes a service below a path, and other services elsewhere. */
export type SubPathProxy = Readonly<{
  /** The address of the service, with the path. */
  url: string;
  /** Requests beside the path, which would go to another service. */
  strays: readonly string[];
  stop(): Promise<void>;
}>;

/** Starts a proxy on a free port that publishes a service below `/hermod`, and removes that path or keeps it. */
export function startSubPathProxy(
  target: () => string,
  { removesPath }: { removesPath: boolean },
): SubPathProxy {
  const strays: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    // Live streams may be silent for longer than Bun's 10 s.
    idleTimeout: 255,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, below] = /^\/hermod(\/.*|)$/.exec(pathname) ?? [];
      if (below === undefined) {
        strays.push(`${request.method} ${pathname} with ${request.headers.get("cookie") ?? "no cookie"}`);
        return new Response("another service", { status: 404 });
      }
      const { method, headers, body, signal } = request;
      const path = removesPath ? below || "/" : pathname;
      return fetch(`${target()}${path}${search}`, {
        method,
        headers,
        body,
        signal,
        redirect: "manual",
        decompress: false,
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/hermod`, strays, stop: () => server.stop(true) };
}
