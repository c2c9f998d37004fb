import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Cell } from "../cell";
import { median } from "../figures";
import type { Requests } from "../load/requests";
import { middleOf } from "../report";
import type { Figures, Rounds } from "../scenario";
import { startServers } from "../system/servers";
import type { System } from "../system/system";
import { ENDPOINTS } from "./load";
import { FEW, MANY_RECIPIENTS, prepareEvents, RECIPIENTS, saturated } from "./saturated";

type Traffic = {
  deliveriesEach: number;
  prepare(cell: Cell, port: number): Promise<Requests>;
};

const TRAFFIC: Record<string, Traffic> = {
  both: { deliveriesEach: 1, prepare: (cell, port) => cell.prepare(port, ENDPOINTS) },
  few: { deliveriesEach: 1, prepare: (cell, port) => cell.prepare(port, FEW) },
  "fan-out-20": fanOutTo(RECIPIENTS),
  "fan-out-1000": fanOutTo(MANY_RECIPIENTS),
};

function fanOutTo(recipients: number): Traffic {
  return {
    deliveriesEach: recipients,
    prepare: (cell, port) => prepareEvents(cell, port, recipients),
  };
}

/** Measures whether `bun start` does more with a process for deliveries than with one process for all. */
export const processes: Rounds = {
  name: "processes",
  about: "both, few and fan-out with HERMOD_PROCESSES=2 against 1, both up and in turns (one round)",
  isForBare: false,
  maxRounds: 1,
  run: async (cell) => {
    const figures: Figures = {};
    for (const [name, traffic] of Object.entries(TRAFFIC)) {
      for (const [figure, value] of Object.entries(await compare(cell, name, traffic)))
        figures[`${name}: ${figure}`] = value;
    }
    return figures;
  },
};

async function compare(cell: Cell, name: string, traffic: Traffic): Promise<Figures> {
  const contenders = await Promise.all([1, 2].map((count) => contender(cell, name, traffic, count)));
  // In turn, because the load of one would slow the warm-up of the other.
  for (const { stage } of contenders) await stage.begin();
  for (let turn = 0; turn < cell.seconds; turn++) {
    for (const { stage, turns } of turn % 2 === 0 ? contenders : contenders.toReversed())
      turns.push((await stage.turn()) ?? {});
  }
  for (const { stage, stop } of contenders) {
    await stage.end();
    await stop();
  }
  const [one = [], two = []] = contenders.map(({ turns }) => turns);
  return ratios(one, two);
}

/** Returns each figure of two processes, and its ratio to that of one. */
function ratios(one: readonly Figures[], two: readonly Figures[]): Figures {
  const figures: Figures = {};
  for (const name of Object.keys(two[0] ?? {})) {
    const of = (turns: readonly Figures[]) => turns.map((turn) => turn[name] ?? Number.NaN);
    const ones = of(one);
    const twos = of(two);
    const { ratio, range } = middleOf(twos.map((value, i) => value / (ones[i] ?? Number.NaN)));
    figures[name] = median(twos);
    figures[`${name}, 2 ÷ 1`] = ratio;
    figures[`${name}, from`] = range[0];
    figures[`${name}, to`] = range[1];
  }
  return figures;
}

async function contender(
  { system, receiver, run, seconds }: Cell,
  name: string,
  traffic: Traffic,
  count: number,
) {
  const own = await twinOf(system, `${name}-${count}`);
  const cell = new Cell(own, receiver, `${run}-${name}-${count}`, seconds);
  const stage = saturated(cell, "", (port) => traffic.prepare(cell, port), {
    deliveriesEach: traffic.deliveriesEach,
    env: { HERMOD_PROCESSES: String(count) },
  });
  const turns: Figures[] = [];
  const stop = async () => {
    await receiver.forget(cell.run);
    await own.stop();
  };
  return { stage, turns, stop };
}

/** The same program on servers of its own. */
async function twinOf(system: System, name: string): Promise<System> {
  const dir = join(system.dir, name);
  await mkdir(dir, { mode: 0o700 });
  return system.twin(dir, await startServers(dir));
}
