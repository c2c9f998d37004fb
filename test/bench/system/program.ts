import { join } from "node:path";
import { scripts } from "../../../package.json";

export type SystemName = "hermod" | "bare";
export type Role = "api" | "dispatcher" | "all";

/** How a system is run and spoken to. */
export type Program = {
  name: SystemName;
  script: string;
  /** The arguments that make it take a role. */
  argumentsFor(role: Role): string[];
  env: Record<string, string>;
  /** Finds the address in what it prints once it takes requests. */
  ready: RegExp;
  /** Before its paths. */
  prefix: string;
  headers: Record<string, string>;
};

const SOURCE = join(import.meta.dir, "../../../src/main.ts");
const BARE = join(import.meta.dir, "../bare.ts");
const ADMIN_KEY = `bench-${crypto.randomUUID()}`;

/** What `bun start` tells the runtime before it runs the service; the bare pipeline has it too. */
const RUNTIME = Object.fromEntries(
  [...scripts.start.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
);

const JSON_HEADERS = { "content-type": "application/json" };

export const PROGRAMS: Record<SystemName, Program> = {
  hermod: {
    name: "hermod",
    script: SOURCE,
    argumentsFor: (role) => [role],
    env: { ...RUNTIME, PORT: "0", HERMOD_ADMIN_KEY: ADMIN_KEY },
    ready: /API +(http:\/\/[^/\s]+)/,
    prefix: "/v1",
    headers: { ...JSON_HEADERS, authorization: `Bearer ${ADMIN_KEY}` },
  },
  bare: {
    name: "bare",
    script: BARE,
    argumentsFor: (role) => [role],
    env: RUNTIME,
    ready: /ready (http:\/\/\S+)/,
    prefix: "",
    headers: JSON_HEADERS,
  },
};
