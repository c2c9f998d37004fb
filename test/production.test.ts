import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programFor } from "./support/program";

/** Recognizable, in case one is printed. */
const SECRETS = {
  DATABASE_URL: "postgres://hermod:pg-hunter2@127.0.0.1:9/hermod",
  NATS_URL: "nats://hermod:nats-hunter2@127.0.0.1:9",
  HERMOD_ADMIN_KEY: "admin-hunter2-and-some-more",
  HERMOD_ENCRYPTION_KEY: Buffer.from("encryption-hunter2-32-bytes-long").toString("base64"),
};
/** The settings that every API needs. */
const NEEDED = { ...SECRETS, HERMOD_PUBLIC_URL: "https://hooks.example.com" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermod-production-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type End = { code: number; output: string; errors: string };

/** Returns the output of a start in production. */
async function startWith(env: Record<string, string>, ...args: string[]): Promise<End> {
  const variables = { PATH: process.env.PATH ?? "", NODE_ENV: "production", PORT: "0", ...env };
  const child = Bun.spawn([...programFor(variables), ...args], {
    cwd: folder,
    env: variables,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 20_000,
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output, errors };
}

/** Returns the variables with which the lines of an error output begin. */
function named({ errors }: End): string[] {
  const lines = errors.trimEnd().split("\n");
  return lines.map((line) => line.split(" ")[0] ?? "").toSorted();
}

function secretsIn({ output, errors }: End): string[] {
  const known = ["hunter", ...Object.values(SECRETS)];
  return known.filter((secret) => `${output}${errors}`.includes(secret));
}

describe("in production", () => {
  const { HERMOD_ADMIN_KEY: _, ...WITHOUT_ADMIN_KEY } = SECRETS;
  const roles: [role: string, needed: string[]][] = [
    ["all", Object.keys(NEEDED)],
    ["dispatcher", Object.keys(WITHOUT_ADMIN_KEY)],
    ["migrate", ["DATABASE_URL"]],
  ];

  test.each(roles)(
    "%s without secrets names all missing variables at once, and leaves nothing behind",
    async (role, needed) => {
      const end = await startWith({}, role);
      expect(end.code).toBe(2);
      expect(end.output).toBe("");
      expect(named(end)).toEqual(needed.toSorted());
      expect(end.errors).not.toContain(" at ");
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test("missing variables are named, and existing ones not printed", async () => {
    const end = await startWith({ ...NEEDED, HERMOD_ADMIN_KEY: "", NATS_URL: " " });
    expect({ code: end.code, named: named(end) }).toEqual({
      code: 2,
      named: ["HERMOD_ADMIN_KEY", "NATS_URL"],
    });
    expect(secretsIn(end)).toEqual([]);
  });

  test("weak and invalid values are named together, with what they should be, and not printed", async () => {
    const bytes = (length: number) => Buffer.alloc(length, "hunter2").toString("base64");
    const weak = [
      { HERMOD_ADMIN_KEY: "hunter2-hunter2-19c", HERMOD_ENCRYPTION_KEY: bytes(31) },
      { HERMOD_ADMIN_KEY: "hunter2", HERMOD_ENCRYPTION_KEY: `new:${bytes(32)},old:${bytes(16)}` },
    ];
    for (const end of await Promise.all(weak.map((each) => startWith({ ...NEEDED, ...each })))) {
      expect({ code: end.code, named: named(end) }).toEqual({
        code: 2,
        named: ["HERMOD_ADMIN_KEY", "HERMOD_ENCRYPTION_KEY"],
      });
      expect(end.errors).toContain("at least 20 characters");
      expect(end.errors).toContain("32 bytes in base64");
      expect(secretsIn(end)).toEqual([]);
    }
  });

  test("an unreachable server does not get its password printed", async () => {
    const end = await startWith(NEEDED);
    expect(end.code).toBe(1);
    expect(end.output).toBe("");
    expect(end.errors).toContain("Hermod could not start");
    expect(secretsIn(end)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});
