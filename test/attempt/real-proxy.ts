import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/faults/until";

/** How to start a proxy that others made, on a port of this machine alone. */
type Kind = Readonly<{ command: string; arguments: readonly string[]; configuration(port: number): string }>;

export const REAL_PROXIES: Readonly<Record<string, Kind>> = {
  tinyproxy: {
    command: "tinyproxy",
    arguments: ["-d", "-c"],
    configuration: (port) => `Port ${port}\nListen 127.0.0.1\nTimeout 30\nLogLevel Critical\n`,
  },
  squid: {
    command: "squid",
    arguments: ["-N", "-f"],
    configuration: (port) =>
      [
        `http_port 127.0.0.1:${port}`,
        "http_access allow all",
        "cache deny all",
        "access_log none",
        "cache_log /dev/null",
        "pid_filename none",
        "hosts_file /etc/hosts",
        "shutdown_lifetime 0 seconds",
      ].join("\n"),
  },
};

export function isInstalled({ command }: Kind): boolean {
  return Bun.which(command) !== null;
}

/** A running proxy. */
export class RealProxy {
  private constructor(
    readonly url: string,
    private readonly child: Bun.Subprocess,
    private readonly folder: string,
  ) {}

  static async start(kind: Kind): Promise<RealProxy> {
    const folder = await mkdtemp(join(tmpdir(), "hermod-proxy-"));
    const port = freePort();
    const path = join(folder, "proxy.conf");
    await writeFile(path, kind.configuration(port));
    const child = Bun.spawn([kind.command, ...kind.arguments, path], { stdout: "ignore", stderr: "ignore" });
    const proxy = new RealProxy(`http://127.0.0.1:${port}`, child, folder);
    await until(() => listens(port), { what: `${kind.command} to listen` });
    return proxy;
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
    await rm(this.folder, { recursive: true });
  }
}

function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  return server.port ?? 0;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
