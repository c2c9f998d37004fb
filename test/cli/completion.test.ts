import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Hermod } from "../../src/client";
import { makeFolder } from "../embedded/folder";
import { useService } from "../http/service";
import { say } from "./console";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

const service = await useService();
const { key } = await service.newClient();
const connection = { url: service.url, key };
const hermod = new Hermod(connection);
const { id } = await hermod.endpoints.create({ url: "https://example.com/", description: "the shop's" });
await hermod.eventTypes.put("order.paid", {});

async function completed(...words: string[]): Promise<string[]> {
  const { out, code } = await say(["complete", "--", ...words], connection);
  expect(code).toBe(0);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("completion", () => {
  test("has the commands and groups of the program, without hidden ones", async () => {
    const commands = await completed("");
    expect(commands).toEqual(expect.arrayContaining(["send", "webhooks", "listen", "completion"]));
    expect(commands).not.toContain("complete");
    expect(await completed("webhooks", "re")).toEqual(["retry", "resend", "resend-many"]);
    expect(await completed("--url", "http://127.0.0.1:1", "--json", "plans", "")).toEqual(["list", "set"]);
  });

  test("has the options of the command, the global ones, and the words that an option takes", async () => {
    const options = await completed("webhooks", "list", "--re");
    expect(options).toEqual(["--response-status"]);
    expect(await completed("webhooks", "list", "--js")).toEqual(["--json"]);
    expect(await completed("webhooks", "list", "--status", "")).toEqual([
      "pending",
      "delivered",
      "failed",
      "cancelled",
    ]);
    expect(await completed("types", "--lang", "p")).toEqual(["python"]);
    expect(await completed("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });

  test("has the service's endpoints and event types, and nothing if it does not answer", async () => {
    expect(await completed("endpoints", "get", "")).toEqual([id]);
    expect(await completed("replay", "ep_")).toEqual([id]);
    expect(await completed("send", "--event", "order")).toEqual(["order.paid"]);
    const { out } = await say(["complete", "--", "replay", ""], { url: "http://127.0.0.1:9", key: "k" });
    expect(out).toBe("");
  });
});

/** Shows, in each shell, the words that its script gives for `hermod webhooks su`. */
const SHELLS = {
  bash: `COMP_WORDS=(hermod webhooks su) COMP_CWORD=2; _hermod; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `words=(hermod webhooks su) CURRENT=3; _describe() { print -l "\${(@P)2%%:*}" }; _hermod`,
  fish: "complete -C 'hermod webhooks su' | string split -f1 \\t",
};

describe.each(Object.entries(SHELLS))("the script for %s", (shell, show) => {
  test.skipIf(Bun.which(shell) === null)("completes a command", async () => {
    // A shell may write there.
    await using home = await makeFolder();
    const { out: script } = await say(["completion", shell], connection);
    const program = `${process.execPath} ${MAIN}`;
    const define =
      shell === "fish" ? `function hermod; ${program} $argv; end` : `hermod() { ${program} "$@"; }`;
    const known = shell === "zsh" ? "compdef() { }\n" : "";
    const shown = await Bun.$`${shell} -c ${`${define}\n${known}${script}\n${show}`}`
      .env({ PATH: process.env.PATH ?? "", HOME: home.path })
      .text();
    expect(shown).toBe("summary\n");
  });
});
