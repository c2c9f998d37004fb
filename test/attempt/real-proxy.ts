import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";

/** The command that starts a public proxy on a local port. */
export type ProxyKind = Readonly<{
  command: string;
  arguments: readonly string[];
  configuration(port: number, parentPort: number): string;
  /** The proxy behind this one. */
  parent?: ProxyKind;
}>;

const tinyproxy: ProxyKind = {
  command: "tinyproxy",
  arguments: ["-d", "-c"],
  configuration: (port) => `Port ${port}\nListen 127.0.0.1\nTimeout 30\nLogLevel Critical\n`,
};

export const REAL_PROXIES: Readonly<Record<string, ProxyKind>> = {
  tinyproxy,
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
  // HAProxy opens no tunnels itself. It balances proxies that do.
  haproxy: {
    command: "haproxy",
    arguments: ["-db", "-f"],
    configuration: (port, parentPort) =>
      [
        "defaults",
        "  mode http",
        "  timeout connect 5s",
        "  timeout client 30s",
        "  timeout server 30s",
        "listen proxies",
        `  bind 127.0.0.1:${port}`,
        `  server parent 127.0.0.1:${parentPort}`,
        "",
      ].join("\n"),
    parent: tinyproxy,
  },
};

export function isInstalled({ command, parent }: ProxyKind): boolean {
  return Bun.which(command) !== null && (parent === undefined || isInstalled(parent));
}

/** A running proxy. */
export class RealProxy {
  private constructor(
    private readonly port: number,
    private readonly child: Bun.Subprocess,
    private readonly folder: string,
    private readonly parent: RealProxy | null,
  ) {}

  static async start(kind: ProxyKind): Promise<RealProxy> {
    const parent = kind.parent === undefined ? null : await RealProxy.start(kind.parent);
    const folder = await mkdtemp(join(tmpdir(), "hermod-proxy-"));
    const port = freePort();
    const path = join(folder, "proxy.conf");
    await writeFile(path, kind.configuration(port, parent?.port ?? 0));
    const child = Bun.spawn([kind.command, ...kind.arguments, path], { stdout: "ignore", stderr: "ignore" });
    const proxy = new RealProxy(port, child, folder, parent);
    await until(() => listens(port), { what: `${kind.command} to listen` });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
    await rm(this.folder, { recursive: true });
    await this.parent?.stop();
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
