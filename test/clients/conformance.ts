import { expect } from "bun:test";
import { createHmac } from "node:crypto";
import { isWrittenNumber, parseExactly } from "../../src/runtime/text/exact-json";
import type { TestService } from "../http/service";
import { type Fault, faultProxy, type SeenRequest, type Traffic } from "./fault-proxy";

type Expected = {
  expect?: unknown;
  shows?: string[];
  count?: Record<string, number>;
  length?: number;
  error?: object;
};
type SignedWebhook = {
  body: string;
  secrets: string[];
  signedBy: string[];
  signedBody?: string;
  age?: number;
  headers?: Record<string, string>;
};
type Step = Expected & { save?: string; verify?: SignedWebhook };

/** A case of `clients/conformance/cases.json`. */
export type ConformanceCase = {
  name: string;
  /** Options of the client, and a key other than the account's. */
  client?: { key?: string; account?: string; maxRetries?: number; timeoutMs?: number };
  /** The external id of an account that exists beside the client's. */
  account?: string;
  faults?: (Fault | null)[];
  /** The number of requests that the client sends. */
  requests?: number;
  atLeastMs?: number;
  steps: Step[];
};

type Outcome = { value?: unknown; error?: unknown };
/** What a driver prints for each case, behind its start. `atMs` is when. */
type CaseOutcome = { name: string; outcomes: Outcome[]; atMs: number };

export type CaseResult = { name: string; problem: string | null };

/** Runs a driver over the cases against the service, behind a proxy that makes their faults. */
export async function conform(
  service: TestService,
  cases: readonly ConformanceCase[],
  command: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<CaseResult[]> {
  const traffic: Traffic[] = cases.map(({ faults = [] }) => ({ faults, seen: [] }));
  const proxy = await faultProxy(service.url, traffic);
  try {
    const given = [];
    for (const [i, each] of cases.entries())
      given.push(await preparedFor(service, each, `${proxy.url}/${i}`));
    const outcomes = await drive(command, JSON.stringify(given), options);
    return cases.map((each, i) => {
      const [before, outcome] = [outcomes[i], outcomes[i + 1]];
      const tookMs = (outcome?.atMs ?? 0) - (before?.atMs ?? 0);
      return { name: each.name, problem: problemOf(each, outcome, tookMs, traffic[i]?.seen ?? []) };
    });
  } finally {
    proxy.stop();
  }
}

/** Reads the cases with every digit of their numbers. */
export async function readCases(): Promise<ConformanceCase[]> {
  const text = await Bun.file(`${import.meta.dir}/../../clients/conformance/cases.json`).text();
  return parseExactly(text) as ConformanceCase[];
}

/** Gives a case an account of its own, and signs its webhooks. */
async function preparedFor(service: TestService, each: ConformanceCase, url: string) {
  const { key, ...client } = each.client ?? {};
  const own = await service.newClient();
  if (each.account !== undefined)
    await own.put(`/admin/accounts/~${encodeURIComponent(each.account)}`, { name: "another" });
  const steps = each.steps.map((step) => (step.verify ? { ...step, verify: signed(step.verify) } : step));
  return { name: each.name, url, key: key ?? own.key, client, steps };
}

const secretOf = (name: string) => `whsec_${Buffer.from(name.repeat(32)).toString("base64")}`;

function signed({ body, secrets, signedBy, signedBody = body, age = 0, headers = {} }: SignedWebhook) {
  const timestamp = Math.floor(Date.now() / 1_000) - age;
  const signatures = signedBy.map((name) => {
    const signature = createHmac("sha256", name.repeat(32))
      .update(`wh_1.${timestamp}.${signedBody}`)
      .digest("base64");
    return `v1,${signature}`;
  });
  const sent = {
    "webhook-id": "wh_1",
    "webhook-timestamp": String(timestamp),
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
  return { body, headers: { ...sent, ...headers }, secrets: secrets.map(secretOf) };
}

async function drive(
  command: readonly string[],
  input: string,
  { env = {}, cwd = import.meta.dir }: { env?: Record<string, string>; cwd?: string },
): Promise<CaseOutcome[]> {
  const driver = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const found: CaseOutcome[] = [{ name: "start", outcomes: [], atMs: performance.now() }];
  const problems = new Response(driver.stderr).text();
  for await (const line of linesOf(driver.stdout))
    found.push({ ...(parseExactly(line) as CaseOutcome), atMs: performance.now() });
  expect({ exitCode: await driver.exited, problems: await problems }).toMatchObject({ exitCode: 0 });
  return found;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function problemOf(
  { steps, requests, atLeastMs = 0 }: ConformanceCase,
  outcome: CaseOutcome | undefined,
  tookMs: number,
  seen: readonly SeenRequest[],
): string | null {
  try {
    if (!outcome) throw new Error("the driver did not reach it");
    const saved: Record<string, unknown> = {};
    for (const [i, step] of steps.entries()) {
      const { value, error } = outcome.outcomes[i] ?? {};
      saved[step.save ?? ""] = value;
      expect({ step: i, error }).toMatchObject({ step: i, error: step.error });
      assertValue(step, value, saved);
    }
    if (requests !== undefined)
      expect(seen.map(({ method, path }) => `${method} ${path}`)).toHaveLength(requests);
    expect(tookMs).toBeGreaterThanOrEqual(atLeastMs);
    return null;
  } catch (error) {
    return `${(error as Error).message}\n${JSON.stringify(outcome?.outcomes)}\n${JSON.stringify(seen)}`;
  }
}

function assertValue(step: Step, value: unknown, saved: Record<string, unknown>): void {
  const text = JSON.stringify(value);
  for (const part of step.shows ?? []) expect(text).toContain(part);
  if (step.length !== undefined) expect(value).toHaveLength(step.length);
  for (const [name, count] of Object.entries(step.count ?? {}))
    expect((value as Record<string, unknown[]>)[name]).toHaveLength(count);
  if (step.expect !== undefined) expect(value).toMatchObject(resolved(step.expect, saved) as object);
}

/** Replaces `$name.field` by what an earlier step has saved. */
export function resolved(value: unknown, saved: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string" && value.startsWith("$"))
    return value
      .slice(1)
      .split(".")
      .reduce<unknown>((found, part) => (found as Record<string, unknown> | undefined)?.[part], saved);
  if (Array.isArray(value)) return value.map((each) => resolved(each, saved));
  if (typeof value === "object" && value !== null && !isWrittenNumber(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner, saved)]));
  return value;
}
