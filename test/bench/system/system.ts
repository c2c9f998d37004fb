import { join } from "node:path";
import { Child } from "../child";
import { PAYLOAD } from "../payload";
import type { Program, Role, SystemName } from "./program";
import type { Servers } from "./servers";

export type SystemOptions = {
  program: Program;
  servers: Servers;
  /** For its data and logs. */
  dir: string;
  /** Where CPU profiles go; null for none. */
  profileDir: string | null;
};

/** A process of a system. `port` is 0 without an API. */
export type RunningRole = { pid: number; port: number; check(): Promise<void>; stop(): Promise<void> };

/** Registrations sent at the same time. */
const REGISTER_AT_ONCE = 32;
const EVENT = "order.created";

/** A system under test: its servers, and its processes as they are started. */
export class System {
  private readonly running = new Set<Child>();
  private readonly twins: System[] = [];
  private stopping: Promise<void> | null = null;

  constructor(private readonly options: SystemOptions) {}

  get name(): SystemName {
    return this.options.program.name;
  }

  get dir(): string {
    return this.options.dir;
  }

  get servers(): Servers {
    return this.options.servers;
  }

  /** The same program on other servers; it stops with this one. */
  twin(dir: string, servers: Servers): System {
    const twin = new System({ ...this.options, dir, servers });
    this.twins.push(twin);
    return twin;
  }

  async start(role: Role, env: Record<string, string> = {}): Promise<RunningRole> {
    if (this.stopping) throw new Error(`${this.name} was stopped`);
    const { program } = this.options;
    const child = this.spawn(role, env);
    this.running.add(child);
    const address = role === "dispatcher" ? null : (await child.line(program.ready))[1];
    const stop = async () => {
      this.running.delete(child);
      await child.stop();
    };
    return {
      pid: child.pid,
      port: Number(URL.parse(address ?? "")?.port ?? 0),
      check: () => child.check(),
      stop,
    };
  }

  /** Makes an endpoint for each address; resolves with their identifiers in the same order. */
  async register(port: number, urls: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < urls.length; i += REGISTER_AT_ONCE) {
      const part = urls.slice(i, i + REGISTER_AT_ONCE);
      ids.push(...(await Promise.all(part.map((url) => this.registerOne(port, url)))));
    }
    return ids;
  }

  /** The bytes of a request that sends a payload to an endpoint. */
  requestTo(port: number, endpointId: string): Buffer {
    const { prefix, headers } = this.options.program;
    const body = `{"endpoint_id":"${endpointId}","event":"${EVENT}","data":${PAYLOAD}}`;
    const all = { host: `127.0.0.1:${port}`, ...headers, "content-length": String(Buffer.byteLength(body)) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST ${prefix}/webhooks HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }

  /** A GET as its users make it. */
  get(port: number, path: string): Promise<Response> {
    const { prefix, headers } = this.options.program;
    return fetch(`http://127.0.0.1:${port}${prefix}${path}`, { headers });
  }

  /** Stops those of its processes that a broken run left. */
  async stopRoles(): Promise<void> {
    const left = [...this.running];
    this.running.clear();
    await Promise.all(left.map((child) => child.stop()));
  }

  /** Stops everything, its servers last. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    await Promise.all(this.twins.map((twin) => twin.stop()));
    await this.stopRoles();
    await this.servers.stop();
  }

  private spawn(role: Role, env: Record<string, string>): Child {
    const { program, servers, dir, profileDir } = this.options;
    const profile = profileDir === null ? [] : ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-dir", profileDir];
    return Child.start({
      name: `${program.name} ${role}`,
      command: [process.execPath, ...profile, program.script, ...program.argumentsFor(role)],
      env: {
        ...program.env,
        DATABASE_URL: servers.databaseUrl,
        NATS_URL: servers.natsUrl,
        HERMOD_DATA_DIR: dir,
        ...env,
      },
      logFile: join(dir, `${role}.log`),
    });
  }

  private async registerOne(port: number, url: string): Promise<string> {
    const { prefix, headers } = this.options.program;
    const body = JSON.stringify({ url });
    const response = await fetch(`http://127.0.0.1:${port}${prefix}/endpoints`, {
      method: "POST",
      headers,
      body,
    });
    const answer = (await response.json()) as { id?: string };
    if (!answer.id) throw new Error(`${this.name} refused an endpoint: ${JSON.stringify(answer)}`);
    return answer.id;
  }
}
