import { join, resolve } from "node:path";
import { scripts } from "../../../package.json";

/** `before`: another checkout of Hermod to compare with. */
export type SystemName = "hermod" | "bare" | "before";
export type Role = "api" | "dispatcher" | "all";

/** How to run a system and call it. */
export type Program = {
  name: SystemName;
  script: string;
  /** The arguments for a role. */
  argumentsFor(role: Role): string[];
  env: Record<string, string>;
  /** Finds the address in its output once it accepts requests. */
  ready: RegExp;
  /** The prefix of its paths. */
  prefix: string;
  headers: Record<string, string>;
};

const MAIN = "src/main.ts";
const ADMIN_KEY = `bench-${crypto.randomUUID()}`;

/** The runtime's settings in `bun start`, which the bare pipeline gets too. */
const RUNTIME = Object.fromEntries(
  [...scripts.start.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
);

const JSON_HEADERS = { "content-type": "application/json" };

export const HERMOD: Program = {
  name: "hermod",
  script: join(import.meta.dir, "../../..", MAIN),
  argumentsFor: (role) => [role],
  // One process, which scenarios of several override.
  env: { ...RUNTIME, PORT: "0", HERMOD_ADMIN_KEY: ADMIN_KEY, HERMOD_PROCESSES: "1" },
  ready: /API +(http:\/\/[^/\s]+)/,
  prefix: "/v1",
  headers: { ...JSON_HEADERS, authorization: `Bearer ${ADMIN_KEY}` },
};

export const BARE: Program = {
  name: "bare",
  script: join(import.meta.dir, "../bare.ts"),
  argumentsFor: (role) => [role],
  env: RUNTIME,
  ready: /ready (http:\/\/\S+)/,
  prefix: "",
  headers: JSON_HEADERS,
};

/** Hermod in a folder, with its dependencies installed. */
export function hermodIn(folder: string): Program {
  return { ...HERMOD, name: "before", script: join(resolve(folder), MAIN) };
}
