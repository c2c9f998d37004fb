import type { Cell } from "../cell";
import { median } from "../figures";
import type { Figures, Scenario } from "../scenario";
import type { RunningRole } from "../system/system";
import { lengthenTo, newPast } from "./history-rows";
import { ENDPOINTS } from "./load";
import { openOwnDatabase } from "./own-database";

const SHORT = 2_000;
const LONG = 2_000_000;
const WARM_UP = 20;
const REPEATS = 100;

/** Measures read requests with a long history, beside a short one. */
export const history: Scenario = {
  name: "history",
  about:
    "the time of each reading request with 2,000,000 deliveries in the past, to that with 2,000 (one round)",
  isForBare: false,
  maxRounds: 1,
  run: async (cell) => {
    const own = await openOwnDatabase(cell.system.servers.databaseUrl, "history");
    const { sql } = own;
    const api = await cell.system.start("api", { DATABASE_URL: own.url });
    try {
      const past = newPast(sql, LONG);
      await cell.prepare(api.port, ENDPOINTS);
      await lengthenTo(past, 0, SHORT);
      const short = await timeAll(cell, api, SHORT);
      await lengthenTo(past, SHORT, LONG);
      const long = await timeAll(cell, api, LONG);
      return compare(short, long);
    } finally {
      await api.stop();
      await own.drop();
    }
  },
};

/** Milliseconds by request. */
async function timeAll(cell: Cell, api: RunningRole, total: number): Promise<Figures> {
  const figures: Figures = {};
  for (const [name, path] of Object.entries(await requestsOf(cell, api, total))) {
    figures[name] = await time(cell, api, path);
  }
  return figures;
}

async function requestsOf(cell: Cell, api: RunningRole, total: number): Promise<Record<string, string>> {
  const answer = await cell.system.client(api.port).get("/webhooks?limit=1");
  const { data } = (await answer.json()) as { data: { id: string; endpoint_id: string }[] };
  const [newest] = data;
  if (!newest) throw new Error("the history is empty");
  return {
    "first page": "/webhooks",
    "second page of 100": "/webhooks?page=2&per_page=100",
    "last page of 100": `/webhooks?page=${total / 100}&per_page=100`,
    "page of an event": "/webhooks?event=order.7",
    "page of the failed": "/webhooks?status=failed",
    "100 by cursor": "/webhooks?limit=100",
    "10 of an endpoint": `/webhooks?limit=10&endpoint_id=${newest.endpoint_id}`,
    "100 of an iterator": "/webhooks?limit=100&iterator=start",
    detail: `/webhooks/${newest.id}`,
    stats: "/stats",
    usage: "/billing/usage",
    endpoints: "/endpoints",
  };
}

async function time(cell: Cell, api: RunningRole, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = -WARM_UP; i < REPEATS; i++) {
    const startedAt = performance.now();
    const response = await cell.system.client(api.port).get(path);
    const text = await response.text();
    if (i >= 0) times.push(performance.now() - startedAt);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
  }
  return median(times);
}

function compare(short: Figures, long: Figures): Figures {
  const figures: Figures = {};
  for (const [name, ms] of Object.entries(long)) {
    figures[`${name}: ms`] = ms;
    figures[`${name}: long/short`] = ms / (short[name] ?? Number.NaN);
  }
  return figures;
}
