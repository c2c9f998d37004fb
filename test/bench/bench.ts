import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cell } from "./cell";
import { describeMachine, type Machine } from "./machine";
import type { Options } from "./options";
import { Receiver } from "./receiver/receiver";
import { type Run, runRound, runTurns } from "./run";
import { isInTurns, type Rounds, type Scenario, type Turns } from "./scenario";
import { startServers } from "./system/servers";
import { System } from "./system/system";

export type Results = { machine: Machine; rounds: number; seconds: number; runs: Run[] };

/** The systems with their servers, the receiver, and a folder that is removed with them. */
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

  /** Runs everything: each round of a scenario has one run on each system. */
  async run(onRun: (run: Run) => void): Promise<Results> {
    await this.start();
    const [first] = this.systems;
    if (!first) throw new Error("there is no system to measure");
    const { rounds, seconds } = this.options;
    const runs: Run[] = [];
    for (const scenario of this.options.scenarios) {
      for await (const run of isInTurns(scenario) ? this.turnsOf(scenario) : this.roundsOf(scenario)) {
        if (this.closing) throw new Error("the bench was stopped");
        runs.push(run);
        // There are too many turns to report each.
        if (!isInTurns(scenario) || run.broken !== null) onRun(run);
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
    for (const program of this.options.systems) {
      const dir = join(this.dir, program.name);
      // Postgres may run as another user, which must be able to enter its folder.
      await mkdir(dir, { mode: 0o700 });
      const servers = await startServers(dir);
      const { profileDir } = this.options;
      this.systems.push(new System({ program, servers, dir, profileDir }));
    }
  }

  private async *roundsOf(scenario: Rounds): AsyncGenerator<Run> {
    const { rounds } = this.options;
    for (let round = 1; round <= Math.min(rounds, scenario.maxRounds ?? rounds); round++) {
      const cells = this.cellsOf(scenario, round);
      // Alternates which system is first, so that what a run leaves behind affects both.
      for (const cell of round % 2 === 0 ? cells.reverse() : cells) {
        yield await runRound(scenario, cell, round);
        await cell.receiver.forget(cell.run);
      }
    }
  }

  private async *turnsOf(scenario: Turns): AsyncGenerator<Run> {
    const { rounds, seconds } = this.options;
    const cells = this.cellsOf(scenario, 1);
    yield* runTurns(scenario, cells, rounds * seconds);
    for (const cell of cells) await cell.receiver.forget(cell.run);
  }

  private cellsOf({ name, isForBare }: Scenario, round: number): Cell[] {
    const { receiver } = this;
    if (!receiver) throw new Error("the receiver does not run");
    return this.systems
      .filter((system) => isForBare || system.name !== "bare")
      .map((system) => new Cell(system, receiver, `${name}-${system.name}-${round}`, this.options.seconds));
  }

  private async cleanUp(): Promise<void> {
    await Promise.all(this.systems.map((system) => system.stop()));
    await this.receiver?.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
