import { describe, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import vectors from "../docs/receiving/vectors.json";
import { signatureHeader } from "../src/attempt/webhook-request";
import { verify } from "../src/client";
import { newSigningSecret } from "../src/endpoints/signing-secret";
import { certifyUrl } from "./certification/certified";
import { LANGUAGES, QUICK_LANGUAGES, wrongDecisions } from "./receivers/verify/language";
import { answerToLargeBody } from "./receivers/whole/large-body";
import { RunningProcesses } from "./receivers/whole/running";
import { EVENT, forgedRequests, signedRequest } from "./receivers/whole/signed-request";
import { WHOLE_RECEIVERS } from "./receivers/whole/whole-receiver";
import { atEnd } from "./support/at-end";
import { until } from "./support/faults/until";
import { freePort } from "./support/free-port";

setDefaultTimeout(120_000);

const folder = join(import.meta.dir, "../docs/receiving");
const page = await readFile(`${folder}.md`, "utf8");
const place = await mkdtemp(join(tmpdir(), "hermod-receiving-"));
atEnd(() => rm(place, { recursive: true }));

test("the page's example is signed as it says, also for a library", () => {
  const [, head = "", data = ""] = /^POST \/hooks.*?\n(.*?)\n\n(.*?)\n```/ms.exec(page) ?? [];
  const headers = Object.fromEntries(head.split("\n").map((line) => line.split(": ", 2)));
  const [secret = ""] = /whsec_[\w+/]+=/.exec(page) ?? [];
  const [id, timestamp] = [headers["webhook-id"], Number(headers["webhook-timestamp"])];
  expect(headers["webhook-signature"]).toBe(signatureHeader([secret], id, timestamp, data));
  expect(new Webhook(secret).sign(id, new Date(timestamp * 1_000), data)).toBe(headers["webhook-signature"]);
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(data)));
});

const HAS_SQLITE = "process.exit(process.getBuiltinModule?.('node:sqlite') ? 0 : 1)";
const DIRECT = [
  { name: "node", file: "receiver.mjs", by: process.execPath, isUsable: true },
  { name: "node", file: "receiver.mjs", by: "node", isUsable: exits("node", "-e", HAS_SQLITE) },
  { name: "python", file: "receiver.py", by: "python3", isUsable: exits("python3", "-c", "") },
].filter(({ by, isUsable }) => {
  if (!isUsable) console.warn(`The receiver for ${by} is not run: it needs Node 22.13, or Python`);
  return isUsable;
});

function exits(...command: readonly string[]): boolean {
  return Bun.which(command[0] ?? "") !== null && Bun.spawnSync([...command]).success;
}

describe("the receivers of docs/receiving/", () => {
  test.each(DIRECT)(
    "$name, run by $by, works on a genuine request once, and on nothing else, and is certified",
    async ({ name, file, by }) => {
      const own = await mkdtemp(join(place, `${name}-`));
      await cp(join(folder, name), own, { recursive: true });
      const port = freePort();
      const program = await readFile(join(own, file), "utf8");
      await writeFile(join(own, file), program.replaceAll("4000", String(port)));
      const [secret, replaced] = [newSigningSecret(), newSigningSecret()];
      const env = { PATH: process.env.PATH ?? "", WEBHOOK_SECRET: `${secret} ${replaced}` };
      const url = `http://127.0.0.1:${port}/hooks`;
      await using running = await RunningProcesses.start([[by, file]], { url, folder: own, env });
      const statusOf = async (init: RequestInit) => (await fetch(url, init)).status;
      for (const secrets of [[secret], [replaced], [newSigningSecret(), secret], [secret]])
        expect(await statusOf(signedRequest(secrets, "wh_1"))).toBe(204);
      for (const each of forgedRequests(secret)) expect(await statusOf(each)).toBe(401);
      expect(await answerToLargeBody(url, { isSent: false })).toMatch(/^HTTP\/1.1 413 /);
      const { tls: _, ...checks } = await certifyUrl(url, [secret, replaced]);
      expect(Object.values(checks).filter(({ outcome }) => outcome !== "passed")).toEqual([]);
      expect(await statusOf(signedRequest([secret], "wh_3"))).toBe(204);
      await until(() => running.lines.length >= 2);
      expect(running.lines.filter((line) => !line.startsWith(`1 ${EVENT} {"name": "Zoë"`))).toEqual([]);
    },
  );

  test.each(WHOLE_RECEIVERS)(
    "$name is linked on the page, short, and has the page's steps",
    async ({ name }) => {
      const names = (await readdir(join(folder, name), { recursive: true })).filter((each) =>
        /\.\w+$/.test(each),
      );
      expect(names.filter((each) => !page.includes(`](receiving/${name}/${each})`))).toEqual([]);
      const texts = await Promise.all(names.map((each) => readFile(join(folder, name, each), "utf8")));
      const lengths = texts.map((text) => text.split("\n").filter((line) => line.trim() !== "").length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(60);
      const steps = [...texts.join("\n").matchAll(/(?:\/\/|#) (\d\. .*?\.)(?: |$)/gm)].map(
        ([, step = ""]) => step,
      );
      expect(steps.sort()).toEqual(stepsOfThePage());
    },
  );
});

/** The first sentences of the page's list of what a receiver does. */
function stepsOfThePage(): string[] {
  const [, list = ""] = /does five things.*?\n\n(.*?)\n\n/s.exec(page) ?? [];
  const steps = list.replaceAll("\n   ", " ").split("\n");
  return steps.map((step) =>
    step
      .replaceAll(/\[(.*?)\]\(.*?\)/g, "$1")
      .split(". ", 2)
      .join(". ")
      .replace(/\.?$/, "."),
  );
}

describe("the functions that verify, ready to copy,", () => {
  test("are checked by a table that the client agrees with", () => {
    setSystemTime(vectors.now * 1_000);
    try {
      const decisions = vectors.vectors.map(({ name, body, headers, secrets }) => {
        return { name, valid: accepts(() => verify(body, headers, secrets)) };
      });
      expect(decisions).toEqual(vectors.vectors.map(({ name, valid }) => ({ name, valid })));
    } finally {
      setSystemTime();
    }
  });

  test("are linked on the page, have 40 lines at most, and each has a driver", async () => {
    const files = (await readdir(folder)).filter((name) => name.startsWith("verify."));
    expect(files).toHaveLength(LANGUAGES.length);
    for (const name of files) {
      expect({ name, isLinked: page.includes(`](receiving/${name})`) }).toEqual({ name, isLinked: true });
      expect((await readFile(join(folder, name), "utf8")).split("\n").length).toBeLessThanOrEqual(41);
    }
  });

  for (const language of QUICK_LANGUAGES) {
    const { name } = language;
    const wrong = wrongDecisions(language, tmpdir());
    if (wrong === null) console.warn(`The function for ${name} is not run: it needs ${name}`);
    test.skipIf(wrong === null)(`decide as the table says, in ${name}`, () => expect(wrong).toEqual([]));
  }
});

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    expect((error as Error).name).toBe("WebhookVerificationError");
    return false;
  }
}
