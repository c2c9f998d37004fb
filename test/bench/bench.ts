import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokenPromise, Cell } from "./cell";
import { describeMachine, type Machine } from "./machine";
import type { Options } from "./options";
import { Receiver } from "./receiver/receiver";
import type { Figures, Scenario } from "./scenario";
import { PROGRAMS, type SystemName } from "./system/program";
import { startServers } from "./system/servers";
import { System } from "./system/system";

/** One run: its figures, or what it did not keep. */
export type Run = {
  scenario: string;
  system: SystemName;
  round: number;
  figures: Figures | null;
  broken: string | null;
};

export type Results = { machine: Machine; rounds: number; seconds: number; runs: Run[] };

/** The systems with their servers, the receiver, and a folder for all of it that goes with them. */
export class Bench {
  private readonly systems: System[] = [];
  private receiver: Receiver | null = null;
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly dir: string,
    private readonly options: Options,
  ) {}

  static async open(options: Options): Promise<Bench> {
    const bench = new Bench(await realpath(await mkdtemp(join(tmpdir(), "hermod-bench-"))), options);
    return bench;
  }

  /** Runs everything in turn: each round of a scenario has one run on each system. */
  async run(onRun: (run: Run) => void): Promise<Results> {
    await this.start();
    const [first] = this.systems;
    if (!first) throw new Error("there is no system to measure");
    const { rounds, seconds } = this.options;
    const runs: Run[] = [];
    for (const scenario of this.options.scenarios) {
      for (let round = 1; round <= Math.min(rounds, scenario.maxRounds ?? rounds); round++) {
        for (const system of this.inTurn(scenario, round)) {
          if (this.closing) throw new Error("the bench was stopped");
          const run = await this.runOnce(scenario, system, round);
          runs.push(run);
          onRun(run);
        }
      }
    }
    return { machine: await describeMachine(first.servers), rounds, seconds, runs };
  }

  /** Stops every process and removes the folder. */
  close(): Promise<void> {
    this.closing ??= this.cleanUp();
    return this.closing;
  }

  private async start(): Promise<void> {
    this.receiver = await Receiver.start(join(this.dir, "receiver.log"));
    for (const name of this.options.systems) {
      const dir = join(this.dir, name);
      // Postgres may run as another user, who has to get through to its folder.
      await mkdir(dir, { mode: 0o700 });
      const servers = await startServers(dir);
      const { profileDir } = this.options;
      this.systems.push(new System({ program: PROGRAMS[name], servers, dir, profileDir }));
    }
  }

  // Who comes first changes from round to round, so that what a run leaves to the next falls on both.
  private inTurn(scenario: Scenario, round: number): System[] {
    const systems = this.systems.filter((each) => scenario.systems.includes(each.name));
    return round % 2 === 0 ? systems.reverse() : systems;
  }

  private async runOnce(scenario: Scenario, system: System, round: number): Promise<Run> {
    if (!this.receiver) throw new Error("the receiver does not run");
    const name = `${scenario.name}-${system.name}-${round}`;
    const cell = new Cell(system, this.receiver, name, this.options.seconds);
    const run = { scenario: scenario.name, system: system.name, round };
    try {
      return { ...run, figures: await scenario.run(cell), broken: null };
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error;
      await system.stopRoles();
      return { ...run, figures: null, broken: error.message };
    } finally {
      await this.receiver.forget(name);
    }
  }

  private async cleanUp(): Promise<void> {
    await Promise.all(this.systems.map((system) => system.stop()));
    await this.receiver?.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
