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

test("the TypeScript client conforms", async () => {
  await assertConforms([process.execPath, join(CLIENTS, "conformance/driver.ts")]);
});

const python = await pythonToolchain();

describe.skipIf(!python)("the Python client", () => {
  test.each(["sync", "async"])("conforms: %s", async (form) => {
    const { command = [], env = {} } = python ?? {};
    await assertConforms([...command, join(CLIENTS, "conformance/driver.py"), form], { env });
  });
});

const goDriver = await goProgram(join(CLIENTS, "go"), "./cmd/conformance", join(folder, "go-driver"));

test.skipIf(!goDriver)("the Go client conforms", async () => {
  await assertConforms([goDriver ?? ""]);
});

const java = await javaToolchain();

test.skipIf(!java)("the Java client conforms", async () => {
  await assertConforms([...(java?.command ?? []), "Driver"]);
});
