import type postgres from "postgres";
import type { Cell } from "../cell";
import type { Figures, Scenario } from "../scenario";
import { fillDay } from "./expired-day";
import { ENDPOINTS } from "./load";
import { measureBoth } from "./measure-both";
import { DAY_MS, type OwnDatabase, openOwnDatabase } from "./own-database";

const EXPIRED = 50_000_000;
/** The day that expires, counted back from today. */
const DAYS_AGO = 10;
/** The limit of load rounds while the day is dropped. */
const MOST_ROUNDS = 400;
/** The pause between two rounds of load, which gives the count a share of the CPU. */
const PAUSE_MS = 15_000;

/** Measures what dropping a large day costs concurrent sends. */
export const expiry: Scenario = {
  name: "expiry",
  about: "accepting and delivering while an expired day of 50,000,000 deliveries is dropped (one round)",
  isForBare: false,
  maxRounds: 1,
  run: async (cell) => {
    const own = await openOwnDatabase(cell.system.servers.databaseUrl, "expiry");
    try {
      const before = await measureWhile(cell, own, "30d", () => false);
      const startsAt = (Math.floor(Date.now() / DAY_MS) - DAYS_AGO) * DAY_MS;
      await fillDay(own.sql, startsAt, EXPIRED);
      const began = performance.now();
      const during = await measureWhile(cell, own, "1d", () => holdsExpired(own.sql, startsAt));
      return {
        "expired deliveries": EXPIRED,
        "dropped in s": (performance.now() - began) / 1_000,
        "accept p99 ms: before": before["accept p99 ms"] ?? Number.NaN,
        "accept p99 ms: worst meanwhile": during["accept p99 ms"] ?? Number.NaN,
        "deliver /s: before": before["deliver /s"] ?? Number.NaN,
        "deliver /s: least meanwhile": during["deliver /s"] ?? Number.NaN,
      };
    } finally {
      await own.drop();
    }
  },
};

/** Loads the service in rounds, at least one, while `goesOn`. Returns the worst rate and p99 of a round. */
async function measureWhile(
  cell: Cell,
  { url }: OwnDatabase,
  retention: string,
  goesOn: () => Promise<boolean> | boolean,
): Promise<Figures> {
  const service = await cell.system.start("all", { DATABASE_URL: url, HERMOD_RETENTION: retention });
  const rounds: Figures[] = [];
  rounds.push(await measureBoth(cell, service, ENDPOINTS));
  while (rounds.length < MOST_ROUNDS && (await goesOn())) {
    await Bun.sleep(PAUSE_MS);
    rounds.push(await measureBoth(cell, service, ENDPOINTS));
  }
  await service.stop();
  const all = (name: string) => rounds.map((round) => round[name] ?? Number.NaN);
  return {
    "accept p99 ms": Math.max(...all("accept p99 ms")),
    "deliver /s": Math.min(...all("deliver /s")),
  };
}

async function holdsExpired(sql: postgres.Sql, startsAt: number): Promise<boolean> {
  const name = `deliveries_${new Date(startsAt).toISOString().slice(0, 10).replaceAll("-", "")}`;
  const rows = await sql`select from pg_class where relname = ${name} and reltuples > 0`;
  return rows.length > 0;
}
