import { afterEach, describe, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import vectors from "../docs/receiving/vectors.json";
import { signatureHeader, webhookHeaders } from "../src/attempt/webhook-request";
import { verify } from "../src/client";
import { newId } from "../src/domain/ids";
import { newSigningSecret } from "../src/endpoints/signing-secret";
import { certifyUrl } from "./certification/certified";
import { LANGUAGES, PHP, wrongDecisions } from "./receivers/verify/language";
import { until } from "./support/faults/until";
import { freePort } from "./support/free-port";

setDefaultTimeout(120_000);

const page = await readFile(join(import.meta.dir, "../docs/receiving.md"), "utf8");
const RECEIVERS = [
  { name: "receiver.mjs", language: "js", by: "bun", command: process.execPath },
  { name: "receiver.mjs", language: "js", by: "node", command: "node" },
  { name: "receiver.py", language: "python", by: "python3", command: "python3" },
].filter(({ command }) => Bun.which(command) !== null);

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

/** The last program in a language on the page, which is the complete one. */
function programIn(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))];
  return blocks.at(-1)?.[1] ?? "";
}

/** Runs a program of the page on a port of its own. Returns its address and its output. */
async function run(name: string, language: string, command: string, secrets: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "hermod-receiver-"));
  const port = freePort();
  await writeFile(join(folder, name), programIn(language).replaceAll("4000", String(port)));
  const env = { PATH: process.env.PATH ?? "", WEBHOOK_SECRET: secrets.join(" ") };
  const child = Bun.spawn([command, name], { cwd: folder, env, stdout: "pipe", stderr: "ignore" });
  open.push({
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true });
    },
  });
  const url = `http://127.0.0.1:${port}/`;
  await until(() => fetch(url).then(Boolean, () => false), { what: () => `${name} to listen` });
  const printed = async () => {
    child.kill();
    return new Response(child.stdout).text();
  };
  return { url, printed };
}

const DATA = '{"name": "Zoë", "n": 12345678901234567890}';

function request(secrets: readonly string[], webhookId: string, ageSeconds = 0): RequestInit {
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const delivery = { id: newId("wh"), event: "größe.changed", orderingKey: null, sequence: 1 };
  const headers = webhookHeaders(delivery, {
    webhookId,
    timestamp,
    attempt: 1,
    secrets,
    added: null,
    body: DATA,
  });
  return { method: "POST", headers, body: DATA };
}

/** Sends the head of a request alone. Returns the first line of the answer. */
async function firstLineOf(url: string, head: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(head);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString().split("\r\n")[0] ?? "";
}

test("the page's example is signed as it says, also for a library", () => {
  const [, head = "", data = ""] = /^POST \/hooks.*?\n(.*?)\n\n(.*?)\n```/ms.exec(page) ?? [];
  const headers = Object.fromEntries(head.split("\n").map((line) => line.split(": ", 2)));
  const [secret = ""] = /whsec_[\w+/]+=/.exec(page) ?? [];
  const [id, timestamp] = [headers["webhook-id"], Number(headers["webhook-timestamp"])];
  expect(headers["webhook-signature"]).toBe(signatureHeader([secret], id, timestamp, data));
  expect(new Webhook(secret).sign(id, new Date(timestamp * 1_000), data)).toBe(headers["webhook-signature"]);
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(data)));
});

test.each(RECEIVERS)(
  "$name, run by $by, accepts a genuine request once, and nothing else, and is certified",
  async ({ name, language, command }) => {
    const [secret, replaced, strange] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
    const { url, printed } = await run(name, language, command, [secret, replaced]);
    const statusOf = async (init: RequestInit) => (await fetch(url, init)).status;
    for (const secrets of [[secret], [replaced], [strange, secret], [secret]]) {
      expect(await statusOf(request(secrets, "wh_1"))).toBe(204);
    }
    const bad = [
      request([strange], "wh_2"),
      request([secret], "wh_2", 301),
      request([secret], "wh_2", -310),
      { ...request([secret], "wh_2"), body: DATA.replace("Zoë", "Zoe") },
      { method: "POST", body: DATA },
    ];
    for (const each of bad) expect(await statusOf(each)).toBe(401);
    const head = `POST / HTTP/1.1\r\nhost: a.example\r\ncontent-length: ${2 ** 21 + 1}\r\n\r\n`;
    expect(await firstLineOf(url, head)).toMatch(/^HTTP\/1.1 413 /);
    const { tls: _, ...checks } = await certifyUrl(url, [secret, replaced]);
    expect(Object.values(checks).filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect((await printed()).match(/größe\.changed/g)).toHaveLength(1);
  },
);

describe("the functions that verify, ready to copy,", () => {
  const folder = join(import.meta.dir, "../docs/receiving");

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
      expect(page).toContain(`](receiving/${name})`);
      expect((await readFile(join(folder, name), "utf8")).split("\n").length).toBeLessThanOrEqual(41);
    }
  });

  const wrong = wrongDecisions(PHP, tmpdir());
  if (wrong === null) console.warn("The function for PHP is not run: it needs PHP");
  test.skipIf(wrong === null)("decide as the table says, in PHP", () => expect(wrong).toEqual([]));
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
