// `bun run openapi:generators`: runs generators of clients and servers over the document, and compiles what they write. It needs
// their toolchains and minutes, so it is no part of the tests. A generator that can't run here counts as not run, never as passed.
// Needs `OPENAPI_GENERATOR_JAR`, the jar of org.openapitools:openapi-generator-cli; the others on the PATH.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toVersion30 } from "../../src/api/openapi/version-3-0";
import { GOLDEN_FILE } from "./document";

/** A generator: the programs that it needs, and its shell commands in a folder of its own. */
type Generator = Readonly<{ name: string; needs: readonly string[]; run: string }>;
type Verdict = "passed" | "FAILED" | "not run";

const jar = process.env.OPENAPI_GENERATOR_JAR;
const generate = (of: string) =>
  `java -Xmx1g -jar "$OPENAPI_GENERATOR_JAR" generate -i "$DOCUMENT_30" -g ${of} -o .`;
const compileJava = "mvn -q -DskipTests compile";
const initGo = "go mod init example.com/hermod && go mod tidy && go build ./...";

const GENERATORS: readonly Generator[] = [
  { name: "openapi-generator java", needs: ["java", "mvn"], run: `${generate("java")} && ${compileJava}` },
  {
    name: "openapi-generator java native",
    needs: ["java", "mvn"],
    run: `${generate("java --library native")} && ${compileJava}`,
  },
  {
    name: "openapi-generator go",
    needs: ["java", "go"],
    run: `${generate("go")} && go mod tidy && go build ./...`,
  },
  { name: "openapi-generator rust", needs: ["java", "cargo"], run: `${generate("rust")} && cargo check -q` },
  {
    name: "openapi-generator php",
    needs: ["java", "php"],
    run: `${generate("php")} && find lib -name '*.php' -print0 | xargs -0 -n1 php -l`,
  },
  {
    name: "oapi-codegen",
    needs: ["oapi-codegen", "go"],
    run: `oapi-codegen -generate types,client -package api -o api.go "$DOCUMENT_30" && ${initGo}`,
  },
  {
    name: "ogen",
    needs: ["ogen", "go"],
    run: `ogen --target api --package api --clean "$DOCUMENT_30" && ${initGo}`,
  },
  {
    name: "openapi-python-client",
    needs: ["openapi-python-client", "python3"],
    run: 'openapi-python-client generate --path "$DOCUMENT" --output-path out && python3 -m compileall -q out',
  },
  {
    name: "openapi-typescript",
    needs: ["bun"],
    run: `bun x openapi-typescript "$DOCUMENT" --output api.ts && bun build --no-bundle api.ts --outfile api.js`,
  },
];

const asked = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "hermod-generators-"));
const env = { ...process.env, DOCUMENT: GOLDEN_FILE, DOCUMENT_30: join(folder, "openapi-3.0.json") };
const document = await Bun.file(GOLDEN_FILE).json();
await Bun.write(env.DOCUMENT_30, JSON.stringify(toVersion30(document), null, 2));

/** Returns the programs that are missing. */
function missing({ needs }: Generator): string[] {
  const absent = needs.filter((each) => each !== "bun" && Bun.which(each) === null);
  return needs.includes("java") && !jar ? [...absent, "OPENAPI_GENERATOR_JAR"] : absent;
}

async function run({ name, run: command }: Generator, n: number): Promise<Verdict> {
  const cwd = join(folder, String(n));
  await Bun.write(join(cwd, "run.sh"), command);
  const log = Bun.file(`${cwd}.log`);
  const child = Bun.spawn(["sh", "-c", "exec sh run.sh 2>&1"], { cwd, env, stdout: log });
  const passed = (await child.exited) === 0;
  if (!passed) process.stdout.write(`${name}: ${(await log.text()).slice(-2_000)}\n`);
  return passed ? "passed" : "FAILED";
}

const verdicts: Verdict[] = [];
for (const [n, each] of GENERATORS.entries()) {
  if (asked.length > 0 && !asked.some((word) => each.name.includes(word))) continue;
  const absent = missing(each);
  const verdict = absent.length > 0 ? "not run" : await run(each, n);
  const why = absent.length > 0 ? `: needs ${absent.join(", ")}` : "";
  process.stdout.write(`${each.name.padEnd(32)} ${verdict}${why}\n`);
  verdicts.push(verdict);
}
const count = (of: Verdict) => verdicts.filter((verdict) => verdict === of).length;
process.stdout.write(`${count("passed")} passed, ${count("FAILED")} failed, ${count("not run")} not run\n`);
await rm(folder, { recursive: true });
process.exit(count("FAILED") === 0 ? 0 : 1);
