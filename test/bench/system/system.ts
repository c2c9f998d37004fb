import { join } from "node:path";
import { Child } from "../child";
import { Client } from "./client";
import type { Program, Role, SystemName } from "./program";
import type { Servers } from "./servers";

export type SystemOptions = {
  program: Program;
  servers: Servers;
  /** The folder for its data and logs. */
  dir: string;
  /** The folder for CPU profiles, or null. */
  profileDir: string | null;
};

/** A process of a system. `port` is 0 without an API. */
export type RunningRole = { pid: number; port: number; check(): Promise<void>; stop(): Promise<void> };

/** The authority of the receivers' HTTPS certificate. */
const AUTHORITY = join(import.meta.dir, "../receiver/authority.pem");

/** A system under test: its servers and its processes. */
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

  /** The same program on other servers. Stops with this one. */
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

  /** Returns a user of the API at a port. */
  client(port: number): Client {
    return new Client(this.options.program, port);
  }

  /** Stops the processes that a broken run left. */
  async stopRoles(): Promise<void> {
    const left = [...this.running];
    this.running.clear();
    await Promise.all(left.map((child) => child.stop()));
  }

  /** Stops everything, the servers last. */
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
        NODE_EXTRA_CA_CERTS: AUTHORITY,
        DATABASE_URL: servers.databaseUrl,
        NATS_URL: servers.natsUrl,
        HERMOD_DATA_DIR: dir,
        ...env,
      },
      logFile: join(dir, `${role}.log`),
    });
  }
}
