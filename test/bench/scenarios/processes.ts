import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Cell } from "../cell";
import { machineNow } from "../clock";
import { mean } from "../figures";
import { closedLoop } from "../load/closed-loop";
import type { Requests } from "../load/requests";
import { middleOf } from "../report";
import type { Figures, Scenario } from "../scenario";
import { startServers } from "../system/servers";
import type { RunningRole, System } from "../system/system";
import { ENDPOINTS, WARM_UP_MS } from "./load";

/** Over all APIs. */
const CONNECTIONS = 64;
/** Milliseconds, long enough that the end, when the rest is delivered, is a small part. */
const TURN_MS = 2_500;

/**
 * Measures the cost of sharing the work between more processes on the same cores. Two of the bare pipeline do not keep the
 * order, since they do not coordinate; they show what the same parts lose.
 */
export const processes: Scenario = {
  name: "processes",
  about:
    "accepting and delivering by one API and one dispatcher and by two of each, both up and in turns (one round)",
  isForBare: true,
  maxRounds: 1,
  run: async (cell) => {
    const formations = [await Formation.start(cell, 1), await Formation.start(cell, 2)];
    for (const each of formations) await each.turn(WARM_UP_MS);
    const turns = Math.ceil((cell.seconds * 1_000) / TURN_MS);
    for (let turn = 0; turn < turns; turn++) {
      for (const each of turn % 2 === 0 ? formations : formations.toReversed()) {
        each.figures.push(await each.turn(TURN_MS));
      }
    }
    for (const each of formations) await each.stop();
    const [one, two] = formations.map((each) =>
      each.figures.map((figures) => figures["deliver /s"] ?? Number.NaN),
    );
    const { ratio, range } = middleOf((one ?? []).map((rate, i) => (two?.[i] ?? Number.NaN) / rate));
    return {
      ...Object.assign({}, ...formations.map((each) => each.means())),
      "two to one": ratio,
      "two to one, from": range[0],
      "two to one, to": range[1],
    };
  },
};

/** Starts this many APIs and dispatchers, on servers of their own. */
class Formation {
  readonly figures: Figures[] = [];
  private accepted = 0;
  private refused = 0;

  private constructor(
    private readonly count: number,
    private readonly cell: Cell,
    private readonly apis: readonly RunningRole[],
    private readonly dispatchers: readonly RunningRole[],
    private readonly requests: Requests,
  ) {}

  static async start({ system, receiver, run, seconds }: Cell, count: number): Promise<Formation> {
    const cell = new Cell(await twinOf(system, `processes-${count}`), receiver, `${run}-${count}`, seconds);
    const start = (role: "api" | "dispatcher") =>
      Promise.all(Array.from({ length: count }, () => cell.system.start(role)));
    const [apis, dispatchers] = [await start("api"), await start("dispatcher")];
    const requests = await cell.prepare(apis[0]?.port ?? 0, ENDPOINTS);
    return new Formation(count, cell, apis, dispatchers, requests);
  }

  /** Loads them for this long, then waits until everything is delivered. */
  async turn(durationMs: number): Promise<Figures> {
    const { apis, count, requests, cell, isOrdered } = this;
    const beganAt = machineNow();
    const loads = await Promise.all(
      apis.map(({ port }) =>
        closedLoop({ port, connections: CONNECTIONS / count, requests, warmUpMs: 0, durationMs }),
      ),
    );
    const sum = (pick: (load: (typeof loads)[number]) => number) =>
      loads.reduce((all, load) => all + pick(load), 0);
    const accepted = sum((load) => load.accepted);
    this.accepted += accepted;
    this.refused += sum((load) => load.refused);
    const { lastAt } = await cell.untilAll(
      this.first,
      { accepted: this.accepted, refused: this.refused },
      { isOrdered },
    );
    return {
      "accept /s": sum((load) => load.acceptedPerSecond),
      "deliver /s": (accepted * 1_000) / ((lastAt ?? Number.NaN) - beganAt),
      "accept p99 ms": Math.max(...loads.map((load) => load.latency?.p99 ?? Number.NaN)),
    };
  }

  means(): Figures {
    const names = Object.keys(this.figures[0] ?? {});
    const meanOf = (name: string) => mean(this.figures.map((figures) => figures[name] ?? Number.NaN));
    return Object.fromEntries(names.map((name) => [`${name}, ${this.count} of each`, meanOf(name)]));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.apis, ...this.dispatchers].map((role) => role.stop()));
    await this.cell.receiver.forget(this.cell.run);
    await this.cell.system.stop();
  }

  private get isOrdered(): boolean {
    return this.count === 1 || this.cell.system.name !== "bare";
  }

  private get first(): RunningRole {
    const [first] = this.apis;
    if (!first) throw new Error("there is no API");
    return first;
  }
}

/** The same program on servers of its own. */
async function twinOf(system: System, name: string): Promise<System> {
  const dir = join(system.dir, name);
  await mkdir(dir, { mode: 0o700 });
  return system.twin(dir, await startServers(dir));
}
