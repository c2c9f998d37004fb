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

// They mostly wait between repeats, and each case has an account of its own.
describe.concurrent("the client conforms:", () => {
  test("TypeScript", async () => {
    await assertConforms([process.execPath, join(CLIENTS, "conformance/driver.ts")]);
  });

  test.skipIf(!python).each(["sync", "async"])("Python, %s", async (form) => {
    const { command = [], env = {} } = python ?? {};
    await assertConforms([...command, join(CLIENTS, "conformance/driver.py"), form], { env });
  });

  test.skipIf(!goDriver)("Go", async () => {
    await assertConforms([goDriver ?? ""]);
  });

  test.skipIf(!java)("Java", async () => {
    await assertConforms([...(java?.command ?? []), "Driver"]);
  });
});
