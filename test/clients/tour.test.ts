import { expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "../../docs/.vitepress/pages";
import { type TourProgram, tourFiles, tourPrograms } from "../../docs/.vitepress/tour";
import { Hermod } from "../../src/client";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";
import { CLIENTS, goProgram, javaToolchain, pythonToolchain, type Toolchain } from "./toolchains";

setDefaultTimeout(120_000);

const folder = await mkdtemp(join(tmpdir(), "hermod-tour-"));
atEnd(() => rm(folder, { recursive: true, force: true }));
const database = await testDatabase();
atEnd(() => database.drop());
const service = await startService(await configOn(database, folder), "all", createLog("silent"));
atEnd(() => service.stop());
const url = `http://127.0.0.1:${service.port}`;
const admin = new Hermod({ url, key: ADMIN_KEY });

/** The events that came at each path. */
const received = new Map<string, string[]>();
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/refuses") return new Response(null, { status: 400 });
    if (pathname === "/away") return new Response(null, { status: 503 });
    const event = request.headers.get("webhook-event") ?? "";
    received.set(pathname, [...(received.get(pathname) ?? []), event]);
    return new Response();
  },
});
atEnd(() => receiver.stop(true));

/** Makes an account with one delivery that failed and one that waits. */
async function openAccount(name: string): Promise<Hermod & { key: string }> {
  const { id } = await admin.admin.createAccount({ name });
  const { key } = await admin.admin.createAccountKey(id, { name });
  const client = new Hermod({ url, key });
  const { endpoints, webhooks } = client;
  const at = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
  const refusing = await endpoints.create({
    url: at("/refuses"),
    event_filter: "order.*",
    permanent_statuses: [400],
  });
  const away = await endpoints.create({
    url: at("/away"),
    event_filter: "stock.*",
    retry_schedule_ms: [600_000],
  });
  await webhooks.send({ endpoint_id: refusing.id, event: "order.paid", data: { order: 4711 } });
  await webhooks.send({ endpoint_id: away.id, event: "stock.low", data: {} });
  for (const response_status of ["400", "503"])
    await until(async () => (await webhooks.list({ response_status })).data[0], { what: response_status });
  return Object.assign(client, { key });
}

/** A webhook as a receiver gets it, in the variables in which the programs look for it. */
function signedWebhook() {
  const [id, timestamp, body] = ["wh_1", String(Math.floor(Date.now() / 1_000)), '{"id": 1}'];
  const secret = Buffer.alloc(32, 7);
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    WEBHOOK_ID: id,
    WEBHOOK_TIMESTAMP: timestamp,
    WEBHOOK_BODY: body,
    WEBHOOK_SIGNATURE: `v1,${signature}`,
    WEBHOOK_SECRET: `whsec_${secret.toString("base64")}`,
  };
}

/** Writes a program into a folder of its own, with the addresses of this test. Returns how it is run; null if this machine can't. */
async function prepared({ name, file, text }: TourProgram): Promise<Toolchain | null> {
  const at = (path: string) => join(folder, name, path);
  const hooks = `http://127.0.0.1:${receiver.port}/${name}`;
  const placed = text
    .replaceAll("http://127.0.0.1:3000", url)
    .replaceAll("http://127.0.0.1:4000/hooks", hooks);
  await Bun.write(at(file), placed);
  switch (name) {
    case "curl":
      return { command: ["bash", at(file)], env: {} };
    case "TypeScript": {
      const paths = { "hermod-client": [join(CLIENTS, "../src/client/index.ts")] };
      await Bun.write(at("tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
      return { command: [process.execPath, at(file)], env: {} };
    }
    case "Python": {
      const python = await pythonToolchain();
      return python && { ...python, command: [...python.command, at(file)] };
    }
    case "Go": {
      const required = `require hermod v0.0.0\nreplace hermod => ${join(CLIENTS, "go")}\n`;
      await Bun.write(at("go.mod"), `module tour\ngo 1.24\n${required}`);
      const program = await goProgram(at("."), ".", at("tour"));
      return program === null ? null : { command: [program], env: {} };
    }
    case "Java": {
      const java = await javaToolchain();
      return java && { ...java, command: [...java.command, at(file)] };
    }
  }
}

async function outputOf({ command, env }: Toolchain, key: string): Promise<string> {
  const base = { PATH: process.env.PATH ?? "", HOME: folder, HERMOD_KEY: key };
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...base, ...env, ...signedWebhook() },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ problems, code: await child.exited }).toEqual({ problems: "", code: 0 });
  return output;
}

/** Replaces what differs between two runs: ids, secrets and the link. */
function shapeOf(output: string): string[] {
  const shape = output
    .replaceAll(/\b(ep|wh|evt|job)_\w{26}/g, "$1")
    .replaceAll(/whsec_\S+/g, "secret")
    .replaceAll(/BAD_REQUEST \S+/g, "BAD_REQUEST id")
    .replaceAll(/http\S+\/portal\S+/g, "link");
  return shape.trim().split("\n");
}

const PRINTED = [
  "ep 1 1",
  "wh order.paid 400",
  "wh failed",
  "wh job",
  "ep secret",
  "evt 1",
  "wh pending",
  "order.paid failed",
  "1 parcel.sent",
  "400 BAD_REQUEST id",
  "link",
  "wh_1",
];

/** Parts of what curl prints, in their order. */
const PRINTED_BY_CURL = [
  '{"retried":1}',
  '"response_status":400',
  '"data":[{',
  '"replay_of":"wh_',
  '"id":"job_',
  "ep_",
  '"id":"evt_',
  '"status":"pending"',
  "event: delivery",
  '"event":"parcel.sent"',
  '"data":[]',
  '"warnings"',
  '"BAD_REQUEST"',
  "/portal",
  "v1,",
];

/** What the account has afterwards, whatever the language. */
const LEFT = [
  "order.paid failed",
  "order.paid failed",
  "order.paid failed",
  "parcel.sent delivered",
  "stock.low pending",
  "user.created delivered",
  "user.renamed delivered",
];

for (const program of tourPrograms) {
  const { name } = program;
  const toolchain = await prepared(program);

  test.skipIf(!toolchain)(`the tour in ${name} does what its pages say`, async () => {
    const { key, webhooks } = await openAccount(name);
    const output = toolchain ? await outputOf(toolchain, key) : "";
    if (name === "curl") assertShows(output, PRINTED_BY_CURL);
    else expect(shapeOf(output)).toEqual(PRINTED);
    const left = async () =>
      (await webhooks.list({ limit: 100 })).data.map(({ event, status }) => `${event} ${status}`).toSorted();
    await until(async () => (await left()).join() === LEFT.join(), { what: `${name} to leave ${LEFT}` });
    expect(received.get(`/${name}`)).toEqual(["user.created", "user.renamed"]);
  });
}

function assertShows(output: string, parts: readonly string[]): void {
  let rest = output;
  for (const part of parts) {
    expect(rest).toContain(part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
}

test("the programs of the tour have the same parts", () => {
  const [first, ...others] = tourPrograms.map(({ regions }) => [...regions.keys()].toSorted());
  for (const each of others) expect(each).toEqual(first ?? []);
});

test("pages and the console show the programs of the tour as they are; `bun run tour` writes them", () => {
  const files = Object.entries(tourFiles());
  expect(files.filter(([path, text]) => textOf(path) !== text).map(([path]) => path)).toEqual([]);
});
