import type { Cell } from "../cell";
import { median } from "../figures";
import type { Figures, Scenario } from "../scenario";
import { lengthenTo, newPast } from "./history-rows";
import { ENDPOINTS } from "./load";
import { measureBoth } from "./measure-both";
import { openOwnDatabase } from "./own-database";

const RETAINED = 5_000_000;
const PAIRS = 4;
/** The compared figures; the others are in `both`. */
const COMPARED = ["accept /s", "deliver /s", "accept p99 ms", "cpu postgres µs"];

/**
 * Measures what a long history costs the delivery path. Two databases alternate, so that the machine is the same for both.
 */
export const retained: Scenario = {
  name: "retained",
  about:
    "accepting and delivering with 5,000,000 deliveries of a month in the past, to that with none (one round)",
  isForBare: false,
  maxRounds: 1,
  run: async (cell) => {
    const { databaseUrl } = cell.system.servers;
    const empty = await openOwnDatabase(databaseUrl, "retained_none");
    const full = await openOwnDatabase(databaseUrl, "retained_all");
    try {
      await measure(cell, empty.url);
      await fill(cell, full);
      const pairs: [Figures, Figures][] = [];
      for (let i = 0; i < PAIRS; i++) pairs.push(await measurePair(cell, empty.url, full.url, i % 2 === 0));
      return compare(pairs);
    } finally {
      await empty.drop();
      await full.drop();
    }
  },
};

/** Spreads the load over endpoints of its own. */
async function fill(cell: Cell, { url, sql }: Awaited<ReturnType<typeof openOwnDatabase>>): Promise<void> {
  await measure(cell, url);
  await lengthenTo(newPast(sql, RETAINED), 0, RETAINED);
}

async function measurePair(
  cell: Cell,
  none: string,
  all: string,
  isNoneFirst: boolean,
): Promise<[Figures, Figures]> {
  if (isNoneFirst) {
    const without = await measure(cell, none);
    return [without, await measure(cell, all)];
  }
  const within = await measure(cell, all);
  return [await measure(cell, none), within];
}

async function measure(cell: Cell, url: string): Promise<Figures> {
  const service = await cell.system.start("all", { DATABASE_URL: url });
  const figures = await measureBoth(cell, service, ENDPOINTS);
  await service.stop();
  return figures;
}

/** Returns the medians with the history, and of the ratios of each pair. */
function compare(pairs: readonly [Figures, Figures][]): Figures {
  const figures: Figures = {};
  for (const name of COMPARED) {
    const of = (some: Figures) => some[name] ?? Number.NaN;
    const ratios = pairs.map(([without, within]) => of(within) / of(without));
    figures[name] = median(pairs.map(([, within]) => of(within)));
    figures[`${name}: with/without`] = median(ratios);
    figures[`${name}: least ratio`] = Math.min(...ratios);
    figures[`${name}: greatest ratio`] = Math.max(...ratios);
  }
  return figures;
}
