import type { Cell } from "../cell";
import { mean } from "../figures";
import { closedLoop } from "../load/closed-loop";
import type { Figures, Scenario } from "../scenario";
import { ENDPOINTS } from "./load";

/** Over all APIs. */
const CONNECTIONS = 64;

/**
 * Longer than elsewhere, milliseconds: each process compiles for itself, and has but a part of the work to learn from
 * (measured: after 3 s two of each still spend three times as much on compiling as one of each, and run slower code).
 */
const WARM_UP_MS = 25_000;

/**
 * One of each comes first and last: what ran before falls on both alike. The rate sinks from one measurement to the next,
 * whatever is measured (of one of each, four times in a row: 10,600, 9,500, 9,400, 9,200/s), so that whoever always comes
 * second looks a tenth slower.
 */
const IN_TURN = [1, 2, 2, 1] as const;

/** More processes on the same cores: what it costs that they share their work out. */
export const processes: Scenario = {
  name: "processes",
  about:
    "accepting and delivering by one API and one dispatcher, by two of each twice, and by one of each again",
  systems: ["hermod"],
  run: async (cell) => {
    const measured: { count: number; figures: Figures }[] = [];
    for (const count of IN_TURN) measured.push({ count, figures: await measure(cell, count) });
    const of = (count: number) =>
      meansOf(measured.filter((each) => each.count === count).map((each) => each.figures));
    const [one, two] = [of(1), of(2)];
    const named = (figures: Figures, count: number) =>
      Object.entries(figures).map(([name, value]) => [`${name}, ${count} of each`, value]);
    const rate = (two["deliver /s"] ?? Number.NaN) / (one["deliver /s"] ?? Number.NaN);
    return { ...Object.fromEntries([...named(one, 1), ...named(two, 2)]), "two to one": rate };
  },
};

async function measure(cell: Cell, count: number): Promise<Figures> {
  const start = (role: "api" | "dispatcher") =>
    Promise.all(Array.from({ length: count }, () => cell.system.start(role)));
  const [apis, dispatchers] = [await start("api"), await start("dispatcher")];
  const [first] = apis;
  if (!first) throw new Error("there is no API");
  const requests = await cell.prepare(first.port, ENDPOINTS);
  let warm = delivered(cell);
  const loads = await Promise.all(
    apis.map(({ port }) =>
      closedLoop({
        port,
        connections: CONNECTIONS / count,
        requests,
        warmUpMs: WARM_UP_MS,
        durationMs: cell.seconds * 1_000,
        onWarm: () => {
          warm = delivered(cell);
        },
      }),
    ),
  );
  const during = (await delivered(cell)) - (await warm);
  const sum = (pick: (load: (typeof loads)[number]) => number) =>
    loads.reduce((all, load) => all + pick(load), 0);
  await cell.untilAll(first, {
    accepted: sum((load) => load.accepted),
    refused: sum((load) => load.refused),
  });
  await Promise.all([...apis, ...dispatchers].map((role) => role.stop()));
  return {
    "accept /s": sum((load) => load.acceptedPerSecond),
    "deliver /s": during / cell.seconds,
    "accept p99 ms": Math.max(...loads.map((load) => load.latency?.p99 ?? Number.NaN)),
  };
}

/** Of each figure. */
function meansOf(runs: readonly Figures[]): Figures {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, mean(runs.map((figures) => figures[name] ?? Number.NaN))]),
  );
}

async function delivered(cell: Cell): Promise<number> {
  return (await cell.receiver.report(cell.run)).delivered;
}
