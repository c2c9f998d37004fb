// `bun run receivers`: sends webhooks to real receivers over a link of 40 ms, with gaps as long as they keep their connections,
// and bodies that they answer before they have read them; also through real proxies. Ends with 1 if a webhook failed though its
// receiver is well, or if a byte of a delivered one is missing. Runs the functions of docs/receiving/ that verify over their table.
// Names what is not installed on this machine, and does not count it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/runtime/errors";
import { REAL_PROXIES } from "../attempt/real-proxy";
import { PythonPackages } from "./python-packages";
import { GO, runtimes } from "./runtimes";
import { type Result, type Trial, tryReceiver } from "./trial";
import { LANGUAGES, type Language, wrongDecisions } from "./verify/language";

type Verdict = "passed" | "failed" | "absent";
const ABSENT = "NOT RUN, not installed on this machine";

function lineOf({ webhooks, early, late, repeats, missing, failures }: Result): string {
  const reasons = failures.length === 0 ? "" : `: ${[...new Set(failures)].join(", ")}`;
  return (
    `${webhooks} webhooks, ${early} of them answered early; ${late} writes met a closed connection, ${repeats} repeated; ` +
    `${missing} bytes missing, ${failures.length} failed${reasons}`
  );
}

/** Prints the result of a trial. `failed` also if it did not run though it could. */
async function judge(trial: Trial): Promise<Verdict> {
  const print = (text: string) => process.stdout.write(`${trial.name}: ${text}\n`);
  try {
    const result = await tryReceiver(trial);
    print(result === null ? ABSENT : lineOf(result));
    if (result === null) return "absent";
    return result.failures.length === 0 && result.missing === 0 ? "passed" : "failed";
  } catch (error) {
    print(messageOf(error));
    return "failed";
  }
}

/** Prints what a function that verifies decided wrongly. */
function judgeVerifier(language: Language): Verdict {
  const print = (text: string) => process.stdout.write(`verify in ${language.name}: ${text}\n`);
  const folder = mkdtempSync(join(tmpdir(), "hermod-verify-"));
  try {
    const wrong = wrongDecisions(language, folder);
    print(wrong === null ? ABSENT : wrong.length === 0 ? "as the table says" : `wrong: ${wrong.join("; ")}`);
    if (wrong === null) return "absent";
    return wrong.length === 0 ? "passed" : "failed";
  } catch (error) {
    print(messageOf(error));
    return "failed";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

using packages = PythonPackages.install();
const direct = runtimes(packages.python).map((runtime) => ({ name: runtime.name, runtime, proxy: null }));
const proxied = Object.entries(REAL_PROXIES).map(([name, proxy]) => ({
  name: `${GO.name} through ${name}`,
  runtime: GO,
  proxy,
}));
const verdicts = [
  ...LANGUAGES.map(judgeVerifier),
  ...(await Promise.all([...direct, ...proxied].map(judge))),
];
const countOf = (verdict: string) => verdicts.filter((each) => each === verdict).length;
process.stdout.write(
  `${countOf("passed")} passed, ${countOf("failed")} failed, ${countOf("absent")} not run\n`,
);
process.exitCode = countOf("failed") === 0 ? 0 : 1;
