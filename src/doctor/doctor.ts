import type { Config } from "../service/config";
import type { Finding } from "./finding";
import { checkMachine } from "./machine";
import { checkNats } from "./nats";
import { checkPostgres } from "./postgres";

/** Checks machine, Postgres and NATS for a process with this configuration. Changes nothing and starts nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const checks = await Promise.all([checkMachine(config), checkPostgres(config), checkNats(config)]);
  return checks.flat();
}

/** Formats the findings for people, one a line, with the result in the last line. */
export function reportOf(findings: readonly Finding[]): string {
  const lines = findings.map(({ state, subject, text }) => `${state.padEnd(8)} ${subject.padEnd(9)} ${text}`);
  const count = (state: Finding["state"]) => findings.filter((each) => each.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const result = faults + warnings === 0 ? "All is well." : `Faults: ${faults}, warnings: ${warnings}.`;
  return `${lines.join("\n")}\n${result}\n`;
}
