import { type Cell, cpuPerItem } from "../cell";
import { machineNow } from "../clock";
import { closedLoop } from "../load/closed-loop";
import type { Requests } from "../load/requests";
import type { Figures, Stage, Turns } from "../scenario";
import type { RunningRole } from "../system/system";
import { absentDispatcher } from "./absent-dispatcher";
import { ENDPOINTS, WARM_UP_MS } from "./load";

const CONNECTIONS = 64;
/** Milliseconds of a turn: the measurement, and the warm-up before it. */
const ACCEPTING = { measureMs: 1_000, beginMs: 150 };
const DRAINING = { measureMs: 1_000, beginMs: 100 };

/** Measures what the API accepts while nothing is delivered, then how fast the dispatcher delivers all of it. */
export const acceptDrain: Turns = {
  name: "accept-drain",
  about:
    "64 connections, 200 endpoints, 500 bytes: the API alone, then the dispatcher alone on what is waiting; in turns",
  isForBare: true,
  stages: (cell) => {
    const sent = { accepted: 0, refused: 0 };
    return [accepting(cell, sent), draining(cell, sent)];
  },
};

type Sent = { accepted: number; refused: number };

function accepting(cell: Cell, sent: Sent): Stage {
  let parts: { api: RunningRole; requests: Requests; leave(): Promise<void> } | null = null;
  const load = async (warmUpMs: number, durationMs: number) => {
    if (!parts) throw new Error("there is no API");
    const { api, requests } = parts;
    let used = cell.countCpu(api);
    const onWarm = () => {
      used = cell.countCpu(api);
    };
    const target = { port: api.port, connections: CONNECTIONS, requests };
    const report = await closedLoop({ ...target, warmUpMs, durationMs, onWarm });
    sent.accepted += report.accepted;
    sent.refused += report.refused;
    return { report, cpu: await (await used)() };
  };
  return {
    begin: async () => {
      const api = await cell.system.start("api");
      const leave = await absentDispatcher(cell.system.servers.databaseUrl);
      parts = { api, leave, requests: await cell.prepare(api.port, ENDPOINTS) };
      await load(WARM_UP_MS, 0);
    },
    turn: async () => {
      const { report, cpu } = await load(ACCEPTING.beginMs, ACCEPTING.measureMs);
      const { acceptedPerSecond, latency, measured } = report;
      const times = { "p50 ms": latency?.p50 ?? Number.NaN, "p99 ms": latency?.p99 ?? Number.NaN };
      return prefixed("accept", { "/s": acceptedPerSecond, ...times, ...cpuPerItem(cpu, measured) });
    },
    end: async () => {
      await parts?.api.stop();
      await parts?.leave();
    },
  };
}

function draining(cell: Cell, sent: Sent): Stage {
  let dispatcher: RunningRole | null = null;
  const hold = (isHeld: boolean) => cell.receiver.instruct(cell.run, isHeld ? "held" : "free");
  return {
    begin: async () => {
      dispatcher = await cell.system.start("dispatcher");
      await cell.untilFirst(dispatcher);
      await Bun.sleep(WARM_UP_MS);
      await hold(true);
    },
    turn: async () => {
      if (!dispatcher) throw new Error("there is no dispatcher");
      await hold(false);
      await Bun.sleep(DRAINING.beginMs);
      const [before, used] = await Promise.all([deliveredNow(cell), cell.countCpu(dispatcher)]);
      await Bun.sleep(DRAINING.measureMs);
      const [after, cpu] = await Promise.all([deliveredNow(cell), used()]);
      await hold(true);
      if (after.delivered >= sent.accepted) return null;
      const count = after.delivered - before.delivered;
      const rate = (count * 1_000) / (after.at - before.at);
      return prefixed("drain", { "/s": rate, ...cpuPerItem(cpu, count) });
    },
    end: async () => {
      await hold(false);
      if (dispatcher) await cell.untilAll(dispatcher, sent);
      await dispatcher?.stop();
    },
  };
}

async function deliveredNow(cell: Cell): Promise<{ delivered: number; at: number }> {
  const { delivered } = await cell.receiver.report(cell.run);
  return { delivered, at: machineNow() };
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix} ${name}`, value]));
}
