import { residentMiB } from "../memory";
import type { Scenario } from "../scenario";
import { measureBoth } from "./measure-both";

const ENDPOINTS = 100_000;

/** Runs the load of `both`, spread so thinly that almost no endpoint gets a second delivery. */
export const endpoints: Scenario = {
  name: "endpoints",
  about: "both with 100,000 endpoints, and what they take in memory (registering them takes minutes)",
  isForBare: true,
  maxRounds: 1,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const figures = await measureBoth(cell, service, ENDPOINTS);
    const memory = await residentMiB(service.pid);
    await service.stop();
    return { ...figures, "memory MiB": memory };
  },
};
