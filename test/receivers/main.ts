// `bun run receivers`: runs the functions that verify, and the whole receivers, of docs/receiving/, and the inboxes of Python and Go while
// both sides are killed. Then sends webhooks to real servers over a link of 40 ms, with gaps as long as they keep their connections, and bodies that they answer before they have read them; also
// through real proxies. Ends with 1 if a function decides wrongly, a receiver works wrongly, a webhook failed though its server is well,
// or a byte of a delivered one is missing. Names what is not installed on this machine, and does not count it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/runtime/errors";
import { REAL_PROXIES } from "../attempt/real-proxy";
import { storm } from "../client/inbox-storm";
import { Cluster } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { testDatabase } from "../support/postgres";
import { asyncInbox, goInbox, pythonInbox } from "./inbox/program";
import { PythonPackages } from "./python-packages";
import { GO, runtimes } from "./runtimes";
import { type Result, type Trial, tryReceiver } from "./trial";
import { LANGUAGES, type Language, wrongDecisions } from "./verify/language";
import { tryWholeReceiver } from "./whole/trial";
import { WHOLE_RECEIVERS } from "./whole/whole-receiver";
import { Workshop } from "./whole/workshop";

type Verdict = "passed" | "failed" | "absent";
/** What a run found: a line about it, or what was wrong. Null if it can't run on this machine. */
type Finding = Readonly<{ line: string; isRight: boolean }> | null;

/** Runs and prints the finding. `failed` also if it did not run though it could. */
async function judge(name: string, run: () => Finding | Promise<Finding>): Promise<Verdict> {
  const print = (text: string) => process.stdout.write(`${name}: ${text}\n`);
  try {
    const finding = await run();
    print(finding?.line ?? "NOT RUN, not installed on this machine");
    if (finding === null) return "absent";
    return finding.isRight ? "passed" : "failed";
  } catch (error) {
    print(messageOf(error));
    return "failed";
  }
}

function findingOf(wrong: readonly string[] | null): Finding {
  if (wrong === null) return null;
  return { line: wrong.length === 0 ? "right" : `WRONG: ${wrong.join("; ")}`, isRight: wrong.length === 0 };
}

function ofVerifier(language: Language): Finding {
  const folder = mkdtempSync(join(tmpdir(), "hermod-verify-"));
  try {
    return findingOf(wrongDecisions(language, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lets an inbox take shuffled, repeated webhooks while receiver, service and Postgres are killed. */
async function ofInbox(
  cluster: Cluster,
  service: HermodProcess,
  command: readonly string[] | null,
): Promise<Finding> {
  if (command === null) return null;
  const { url, drop } = await testDatabase();
  const receivers = [{ driver: "postgres.js", address: url, command }] as const;
  const [result] = await storm({ cluster, service, receivers, count: 500, kills: 2, roundTripMs: 10 });
  await drop();
  const isExact = Bun.deepEquals(result?.sent, result?.done);
  return findingOf(isExact ? [] : [`${result?.done.length} effects of ${result?.sent.length} webhooks`]);
}

async function ofServer(trial: Trial): Promise<Finding> {
  const result = await tryReceiver(trial);
  if (result === null) return null;
  return { line: lineOf(result), isRight: result.failures.length === 0 && result.missing === 0 };
}

function lineOf({ webhooks, early, late, repeats, missing, failures }: Result): string {
  const reasons = failures.length === 0 ? "" : `: ${[...new Set(failures)].join(", ")}`;
  return (
    `${webhooks} webhooks, ${early} of them answered early; ${late} writes met a closed connection, ${repeats} repeated; ` +
    `${missing} bytes missing, ${failures.length} failed${reasons}`
  );
}

using packages = PythonPackages.install();
const verdicts: Verdict[] = [];
for (const each of LANGUAGES) verdicts.push(await judge(`verify in ${each.name}`, () => ofVerifier(each)));
{
  using workshop = Workshop.open(packages.python);
  await using cluster = await Cluster.start({ postgres: "embedded" });
  const service = await cluster.launch("all", "all");
  for (const each of WHOLE_RECEIVERS) {
    const run = async () => findingOf(await tryWholeReceiver(cluster, each, workshop));
    verdicts.push(await judge(`the receiver for ${each.name}`, run));
  }
  const inboxes = {
    Python: await pythonInbox(),
    asyncio: packages.python === null ? null : asyncInbox(packages.python),
    Go: await goInbox(cluster.folder),
  };
  for (const [language, command] of Object.entries(inboxes))
    verdicts.push(await judge(`the inbox for ${language}`, () => ofInbox(cluster, service, command)));
}
const direct = runtimes(packages.python).map((runtime) => ({ name: runtime.name, runtime, proxy: null }));
const proxied = Object.entries(REAL_PROXIES).map(([name, proxy]) => ({
  name: `${GO.name} through ${name}`,
  runtime: GO,
  proxy,
}));
const trials = [...direct, ...proxied].map((trial) => judge(trial.name, () => ofServer(trial)));
verdicts.push(...(await Promise.all(trials)));
const countOf = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
process.stdout.write(
  `${countOf("passed")} passed, ${countOf("failed")} failed, ${countOf("absent")} not run\n`,
);
process.exitCode = countOf("failed") === 0 ? 0 : 1;
