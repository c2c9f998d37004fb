import { parseArgs } from "node:util";
import type { Scenario } from "./scenario";
import { SCENARIOS, STANDARD } from "./scenarios";
import { BARE, HERMOD, hermodIn, type Program } from "./system/program";

export type Options = {
  scenarios: Scenario[];
  systems: Program[];
  rounds: number;
  seconds: number;
  /** The file for the results as JSON, or null. */
  json: string | null;
  profileDir: string | null;
};

export const USAGE = `Usage: bun run bench [scenario…] [options]

${SCENARIOS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join("\n")}

Without a scenario: ${STANDARD.map(({ name }) => name).join(" and ")}.

  --rounds n       runs of each scenario on each system, in turn (default 3)
  --seconds n      measured time of a run (default 5); of what takes turns, so many turns a round
  --system name    hermod or bare alone
  --against dir    another checkout of Hermod, dependencies installed, in place of the bare pipeline
  --json file      writes all figures of all runs
  --profile dir    writes a CPU profile of every process of the systems; the figures are then slower ones
`;

/** Throws an error that says what is wrong with the arguments. */
export function readOptions(args: string[]): Options | "help" {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "5" },
      system: { type: "string" },
      against: { type: "string" },
      json: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return "help";
  return {
    scenarios: positionals.length === 0 ? [...STANDARD] : [...new Set(positionals.map(scenarioNamed))],
    systems: systemsOf(values.system, values.against),
    rounds: count("rounds", values.rounds, 50),
    seconds: count("seconds", values.seconds, 3_600),
    json: values.json ?? null,
    profileDir: values.profile ?? null,
  };
}

/** Naming one of two stages selects the scenario that has both. */
function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name || each.name.split("-").includes(name));
  if (!scenario) throw new Error(`There is no scenario ${name}`);
  return scenario;
}

function systemsOf(name: string | undefined, against: string | undefined): Program[] {
  const both = [HERMOD, against === undefined ? BARE : hermodIn(against)];
  if (name === undefined) return both;
  const only = both.filter((program) => program.name === name);
  if (only.length === 0) throw new Error(`There is no system ${name}`);
  return only;
}

function count(name: string, text: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw new Error(`--${name} takes a number from 1 to ${most}`);
  return number;
}
