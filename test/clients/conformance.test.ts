import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { conform, readCases } from "./conformance";
import { CLIENTS, goProgram, javaToolchain, pythonToolchain } from "./toolchains";

const service = await useService();
const cases = await readCases();
const folder = await mkdtemp(join(tmpdir(), "hermod-clients-"));
atEnd(() => rm(folder, { recursive: true, force: true }));

/** Fails with the cases in which the client does not what the table says. */
async function assertConforms(command: readonly string[], options: Parameters<typeof conform>[3] = {}) {
  const results = await conform(service, cases, command, options);
  const problems = results.filter(({ problem }) => problem !== null);
  expect(problems).toEqual([]);
}

const python = await pythonToolchain();
const goDriver = await goProgram(join(CLIENTS, "go"), "./cmd/conformance", join(folder, "go-driver"));
const java = await javaToolchain();

/** Ends only a broken test: each takes as long as all of them on a machine that is busy with something else. */
const TIMEOUT_MS = 600_000;

// They mostly wait between repeats, and each case has an account of its own.
describe.concurrent("the client conforms:", () => {
  test(
    "TypeScript",
    async () => {
      await assertConforms([process.execPath, join(CLIENTS, "conformance/driver.ts")]);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!python).each(["sync", "async"])(
    "Python, %s",
    async (form) => {
      const { command = [], env = {} } = python ?? {};
      await assertConforms([...command, join(CLIENTS, "conformance/driver.py"), form], { env });
    },
    TIMEOUT_MS,
  );

  test.skipIf(!goDriver)(
    "Go",
    async () => {
      await assertConforms([goDriver ?? ""]);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!java)(
    "Java",
    async () => {
      await assertConforms([...(java?.command ?? []), "Driver"]);
    },
    TIMEOUT_MS,
  );
});
