import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vectors from "../../../docs/receiving/vectors.json";

const VERIFIERS = join(import.meta.dir, "../../../docs/receiving");
const here = (name: string) => join(import.meta.dir, name);
const verifier = (name: string) => join(VERIFIERS, name);

/** A language that docs/receiving/ has a verifier in. */
export type Language = Readonly<{
  name: string;
  /** Programs that it needs on this machine. */
  needs: readonly string[];
  /** Commands that build a driver in a folder, and at last one that runs it. */
  commands(folder: string): readonly (readonly string[])[];
}>;

/** Languages whose programs start within a second. */
export const QUICK_LANGUAGES: readonly Language[] = [
  {
    name: "TypeScript",
    needs: [],
    commands: () => [[process.execPath, here("driver.ts")]],
  },
  {
    name: "Python",
    needs: ["python3"],
    commands: () => [["python3", here("driver.py"), VERIFIERS]],
  },
  {
    name: "PHP",
    needs: ["php"],
    commands: () => [["php", here("driver.php"), verifier("verify.php")]],
  },
];

export const LANGUAGES: readonly Language[] = [
  ...QUICK_LANGUAGES,
  {
    name: "Go",
    needs: ["go"],
    commands(folder) {
      mkdirSync(join(folder, "webhooks"));
      copyFileSync(verifier("verify.go"), join(folder, "webhooks/verify.go"));
      copyFileSync(here("driver.go"), join(folder, "driver.go"));
      writeFileSync(join(folder, "go.mod"), "module driver\ngo 1.24\n");
      return [["go", "run", "-C", folder, "."]];
    },
  },
  {
    name: "Java",
    needs: ["javac", "java"],
    commands: (folder) => [
      ["javac", "-d", folder, verifier("verify.java"), here("Driver.java")],
      ["java", "-cp", folder, "Driver"],
    ],
  },
  {
    name: "Ruby",
    needs: ["ruby"],
    commands: () => [["ruby", here("driver.rb"), verifier("verify.rb")]],
  },
  {
    name: "Elixir",
    needs: ["elixir"],
    commands: () => [["elixir", here("driver.exs"), verifier("verify.ex")]],
  },
  {
    name: "Rust",
    needs: ["cargo"],
    commands(folder) {
      mkdirSync(join(folder, "src"));
      copyFileSync(here("Cargo.toml"), join(folder, "Cargo.toml"));
      copyFileSync(here("driver.rs"), join(folder, "src/main.rs"));
      copyFileSync(verifier("verify.rs"), join(folder, "src/verify.rs"));
      return [["cargo", "run", "--quiet", "--manifest-path", join(folder, "Cargo.toml")]];
    },
  },
  {
    name: "Kotlin",
    needs: ["kotlinc", "java"],
    commands(folder) {
      const jar = join(folder, "driver.jar");
      const sources = [verifier("verify.kt"), here("driver.kt")];
      return [
        ["kotlinc", ...sources, "-include-runtime", "-d", jar],
        ["java", "-cp", jar, "DriverKt"],
      ];
    },
  },
  {
    name: "C#",
    needs: ["mcs", "mono"],
    commands(folder) {
      const program = join(folder, "driver.exe");
      const sources = [verifier("verify.cs"), here("driver.cs")];
      return [
        ["mcs", "-langversion:latest", "-r:System.Core.dll", `-out:${program}`, ...sources],
        ["mono", program],
      ];
    },
  },
];

/** Returns the names of the vectors that a verifier decides wrongly; null if the language is not on this machine. */
export function wrongDecisions({ needs, commands }: Language, folder: string): string[] | null {
  if (needs.some((program) => Bun.which(program) === null)) return null;
  const input = Buffer.from(vectors.vectors.map(lineOf).join(""));
  let printed = "";
  for (const command of commands(folder)) {
    const { stdout, stderr, success } = Bun.spawnSync([...command], { stdin: input });
    if (!success) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
    printed = stdout.toString();
  }
  const decisions = printed.trim().split("\n");
  return vectors.vectors.filter(({ valid }, i) => decisions[i] !== String(valid)).map(({ name }) => name);
}

/** The fields with tabs between them, so that no driver needs a parser of JSON. An absent header is empty. */
function lineOf({ body, headers, secrets }: (typeof vectors.vectors)[number]): string {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
  const given: Partial<Record<string, string>> = headers;
  return `${[body, ...names.map((name) => given[name] ?? ""), secrets.join(" "), vectors.now].join("\t")}\n`;
}
