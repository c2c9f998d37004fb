import type { Config, ServiceTask } from "../service/config";
import { checkCells } from "./cells";
import { checkColdStore } from "./cold-store";
import { checkCollector } from "./collector";
import { checkEgressProxy } from "./egress-proxy";
import type { Finding } from "./finding";
import { checkIdentityProvider } from "./identity-provider";
import { checkKeySet } from "./key-set";
import { checkMachine } from "./machine";
import { checkMail } from "./mail";
import { checkNats } from "./nats";
import { checkPostgres } from "./postgres";

type Check = (config: Config) => Promise<readonly Finding[]>;

const OF_API: readonly Check[] = [checkIdentityProvider, checkKeySet];
const OF_DISPATCHER: readonly Check[] = [checkEgressProxy, checkMail];

/** Checks everything that a process of this role uses. Changes nothing and starts nothing. */
export async function examine(config: Config, role: ServiceTask = "all"): Promise<readonly Finding[]> {
  const checks: Check[] = [checkMachine, checkCollector];
  if (role !== "router") checks.push(checkPostgres, checkNats, checkColdStore);
  if (role === "router" || role === "all" || role === "api") checks.push(checkCells);
  if (role === "all" || role === "dispatcher") checks.push(...OF_DISPATCHER);
  if (role === "all" || role === "api") checks.push(...OF_API);
  const findings = await Promise.all(checks.map((check) => check(config)));
  return findings.flat();
}

/** Formats the findings for people, one a line, with the result in the last line. */
export function reportOf(findings: readonly Finding[]): string {
  const lines = findings.map(({ state, subject, text }) => `${state.padEnd(8)} ${subject.padEnd(9)} ${text}`);
  const count = (state: Finding["state"]) => findings.filter((each) => each.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const result = faults + warnings === 0 ? "All is well." : `Faults: ${faults}, warnings: ${warnings}.`;
  return `${lines.join("\n")}\n${result}\n`;
}
