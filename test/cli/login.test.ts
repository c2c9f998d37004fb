import { describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { findConnection } from "../../src/cli/connection";
import type { Profiles } from "../../src/cli/profiles";
import { bytesOf, hexOf, loginRequestIn, SEALING } from "../../src/domain/console-login";
import { toText } from "../../src/domain/ids";
import { makeFolder } from "../embedded/folder";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { type Sitting, say } from "./console";

const service = await useService();
const client = await service.newClient();
const { key } = client;
const accountId = toText("acc", client.accountId);
const folder = await makeFolder();
atEnd(() => folder[Symbol.asyncDispose]());
const env = { XDG_CONFIG_HOME: folder.path, HERMOD_DATA_DIR: join(folder.path, "none") };
const FILE = join(folder.path, "hermod/config.json");

function run(args: readonly string[], sitting: Sitting = {}) {
  return say(args, { url: "", key: "" }, { env, ...sitting });
}

async function profileNames(): Promise<string[]> {
  const { out } = await run(["profiles", "list", "--json"]);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).name]));
}

/** Answers as the page does: with the key, encrypted for the command. First with another state. */
async function answerAs(opened: string): Promise<number[]> {
  const asked = loginRequestIn(new URL(opened).searchParams);
  if (asked === null) throw new Error(`${opened} is not whole`);
  const receiver = await crypto.subtle.importKey("spki", bytesOf(asked.publicKey), SEALING, false, [
    "encrypt",
  ]);
  const sealed = await crypto.subtle.encrypt(SEALING.name, receiver, new TextEncoder().encode(key));
  const statuses: number[] = [];
  for (const state of [asked.state.replace(/./g, "0"), asked.state]) {
    const answer = new URLSearchParams({ state, sealed: hexOf(new Uint8Array(sealed)) });
    statuses.push((await fetch(`http://127.0.0.1:${asked.port}/?${answer}`)).status);
  }
  return statuses;
}

test("a page gives a key to a port of the machine's programs alone, and to a whole request", () => {
  const whole = { port: "40000", state: "0a", key: "0b", machine: "laptop" };
  expect(loginRequestIn(new URLSearchParams(whole))).toMatchObject({ port: 40_000, machine: "laptop" });
  for (const part of [{ port: "80" }, { port: "40000@a.example" }, { port: "" }, { state: "" }, { key: "x" }])
    expect(loginRequestIn(new URLSearchParams({ ...whole, ...part }))).toBeNull();
});

describe("hermod login", () => {
  const page = `${service.url}/console/keys`;

  test("takes a key that its page of the console gives, and no other page", async () => {
    let answered: Promise<number[]> = Promise.resolve([]);
    const opens = (opened: string) => {
      answered = answerAs(opened);
    };
    const { code, out, err } = await run(["login", "--url", service.url, "--json"], { opens });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await answered).toEqual([404, 200]);
    expect(JSON.parse(out)).toMatchObject({ account: accountId });
    await run(["logout"]);
  });

  test("asks for a key beside the console's page of keys, checks it, and saves nothing if it is refused", async () => {
    const refused = await run(["login", "--url", service.url], { secret: "hmd_wrong" });
    expect(refused).toMatchObject({ code: 3, questions: ["Key: "] });
    expect(refused.opened).toEqual([expect.stringContaining(`${service.url}/console/connect?port=`)]);
    expect(refused.err).toContain(page);
    expect(await profileNames()).toEqual([]);
    const login = ["login", "--url", service.url, "--profile", "shop", "--no-browser", "--json"];
    const { code, out, err, opened } = await run(login, { secret: ` ${key}\n` });
    expect({ code, err, opened }).toEqual({ code: 0, err: "", opened: [] });
    expect(JSON.parse(out)).toMatchObject({ profile: "shop", url: service.url, account: accountId });
    expect(out).not.toContain(key);
    expect((await stat(FILE)).mode & 0o777).toBe(0o600);
  });

  test("is enough for all commands, until logout", async () => {
    const login = await run(["login", "--url", service.url], { input: key });
    expect(login).toMatchObject({ code: 0, questions: [], opened: [] });
    const { out } = await run(["whoami", "--json"]);
    expect(JSON.parse(out).account.id).toBe(accountId);
    expect(await profileNames()).toEqual(["shop", new URL(service.url).host]);
    const left = await run(["logout"]);
    expect(left.err).toContain(`Revoke it at ${page}.`);
    const { code, err } = await run(["whoami"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("Try: hermod login --url <url>") });
    expect((await run(["profiles", "use", "shop"])).code).toBe(0);
    expect((await run(["whoami"])).code).toBe(0);
    expect((await run(["profiles", "remove", "shop"])).code).toBe(0);
    expect(await run(["whoami", "--profile", "shop"])).toMatchObject({
      code: 2,
      err: "hermod: There is no profile shop\nTry: hermod profiles list\n",
    });
  });
});

describe("the service that a command asks", () => {
  const [A, B] = ["https://a.example", "https://b.example"];
  const profiles: Profiles = {
    current: "a",
    byName: { a: { url: A, key: "key-a" }, b: { url: B, key: "key-b", account: "shop" } },
  };
  const nowhere = { HERMOD_DATA_DIR: "/nonexistent" };
  const find = (flags: object, variables: object, saved = profiles) =>
    findConnection(flags, { ...nowhere, ...variables }, saved);

  test.each([
    ["the profile in use", {}, {}, A, "key-a"],
    ["HERMOD_PROFILE before it", {}, { HERMOD_PROFILE: "b" }, B, "key-b"],
    [
      "HERMOD_URL and HERMOD_KEY before that",
      {},
      { HERMOD_PROFILE: "b", HERMOD_URL: A, HERMOD_KEY: "k" },
      A,
      "k",
    ],
    ["--profile before these", { profile: "b" }, { HERMOD_URL: A, HERMOD_KEY: "k" }, B, "key-b"],
    ["--url and --key first", { url: A, key: "given", profile: "b" }, { HERMOD_KEY: "k" }, A, "given"],
    ["HERMOD_KEY with the address in use", {}, { HERMOD_KEY: "k" }, A, "k"],
    ["a saved key for the address of its profile", { url: `${A}/base` }, {}, `${A}/base`, "key-a"],
  ])("is %s", async (_name, flags, variables, url, found) => {
    expect(await find(flags, variables)).toMatchObject({ url, key: found });
  });

  test("never gets a key that was saved for another one", async () => {
    const refusals = [
      [{ url: B }, {}],
      [{ url: "http://a.example" }, {}],
      [{ url: "https://a.example:444", profile: "a" }, {}],
      [{}, { HERMOD_URL: "https://c.example", HERMOD_PROFILE: "b" }],
    ] as const;
    for (const [flags, variables] of refusals)
      await expect(find(flags, variables)).rejects.toThrow(/^No key for http/);
  });

  test("is asked for the profile's account", async () => {
    expect(await find({ profile: "b" }, {})).toMatchObject({ account: "shop" });
    expect((await find({ profile: "b", key: "k" }, {})).account).toBeUndefined();
  });
});
