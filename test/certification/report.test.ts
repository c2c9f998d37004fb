import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  CHECK_REASONS,
  CHECKS,
  type JudgedAnswer,
  judgeReceiver,
  overallOutcome,
  SLOW_ANSWER_MS,
} from "../../src/certification/report";
import { mendOf, textOf } from "../../src/certification/report-text";
import { TRIALS, type TrialName, trialOf } from "../../src/certification/trial";
import { inbox as makeInbox } from "../../src/client/inbox";
import { newSigningSecret } from "../../src/endpoints/signing-secret";
import { CERTIFICATE, EXPIRED_CERTIFICATE, KEY } from "../attempt/certificates";
import { atEnd } from "../support/at-end";
import { certifyUrl, isGenuine } from "./certified";

const secret = newSigningSecret();

type Answering = (body: string, request: Request) => Response | number | Promise<Response>;

/** Serves a receiver. Returns its URL and the requests that came. */
function receiver(answer: Answering, tls?: { key: string; cert: string }) {
  const came: { headers: Headers; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls && { tls }),
    fetch: async (request) => {
      const body = await request.text();
      came.push({ headers: request.headers, body });
      const answered = await answer(body, request);
      return typeof answered === "number" ? new Response(null, { status: answered }) : answered;
    },
  });
  atEnd(() => server.stop(true));
  const origin = tls ? "https://hook.test" : "http://127.0.0.1";
  return { url: `${origin}:${server.port}/`, came };
}

const sound: Answering = (body, request) => (isGenuine(body, request, secret) ? 204 : 401);
const seen = new Set<string>();

/** Receivers, each with the checks that it does not pass, apart from `tls`: they speak http. */
const RECEIVERS: readonly [name: string, answer: Answering, unsound: Record<string, string>][] = [
  ["verifies with the client", sound, {}],
  ["verifies nothing", () => 200, { forged: "accepted", unsigned: "accepted", old_timestamp: "accepted" }],
  [
    "looks at no timestamp",
    (body, request) => {
      const { headers } = request;
      const sign = new Bun.CryptoHasher("sha256", Buffer.from(secret.slice(6), "base64"));
      sign.update(`${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`);
      return headers.get("webhook-signature") === `v1,${sign.digest("base64")}` ? 200 : 401;
    },
    { old_timestamp: "accepted" },
  ],
  [
    "verifies JSON that it has written again",
    (body, request) => sound(JSON.stringify(JSON.parse(body)), request),
    { exact_bytes: "refused" },
  ],
  [
    "takes small bodies",
    (body, request) => (body.length > 100_000 ? 413 : sound(body, request)),
    { large: "refused" },
  ],
  [
    "refuses repeats",
    (body, request) => {
      const id = request.headers.get("webhook-id") ?? "";
      if (!isGenuine(body, request, secret)) return 400;
      return seen.size === seen.add(id).size ? 409 : 200;
    },
    { duplicate: "refused" },
  ],
  [
    "knows all types",
    (body, request) => (request.headers.get("webhook-event") === "hermod.trial" ? sound(body, request) : 422),
    { unknown_type: "refused" },
  ],
  [
    "fails without a signature",
    (body, request) => (request.headers.has("webhook-signature") ? sound(body, request) : 500),
    { unsigned: "crashed" },
  ],
];

describe("a receiver that", () => {
  test.each(RECEIVERS)("%s gets the report that it deserves", async (_, answer, unsound) => {
    const { url } = receiver(answer);
    const { tls, ...results } = await certifyUrl(url, [secret]);
    const found = Object.values(results).filter(({ outcome }) => outcome !== "passed");
    expect(Object.fromEntries(found.map(({ check, reason }) => [check, reason ?? ""]))).toEqual(unsound);
    expect(tls).toMatchObject({ outcome: "warning", reason: "plain_http" });
  });

  test("redirects is told the target, and gets no second trial", async () => {
    const { url, came } = receiver(() => Response.redirect("https://example.com/hooks", 308));
    const { valid, forged } = await certifyUrl(url, [secret]);
    expect(valid).toMatchObject({ outcome: "failed", reason: "redirected" });
    expect(valid && textOf(valid)).toMatch(/308.*https:\/\/example\.com\/hooks/);
    expect(forged).toMatchObject({ outcome: "not_tried", reason: "after_failure" });
    expect(came).toHaveLength(1);
  });

  test.each([
    ["valid", CERTIFICATE, { outcome: "passed", reason: null }],
    ["expired", EXPIRED_CERTIFICATE, { outcome: "failed", reason: "not_trusted" }],
  ])("speaks https with a certificate that is %s is judged by it", async (_, cert, expected) => {
    const { url, came } = receiver(sound, { key: KEY, cert });
    const { tls, ...results } = await certifyUrl(url, [secret]);
    expect(tls).toMatchObject(expected);
    const isPassed = expected.reason === null;
    expect(tls?.answer).toMatchObject(
      isPassed ? { tlsMs: expect.any(Number) } : { errorDetail: "certificate_expired" },
    );
    expect(Object.values(results).every(({ outcome }) => outcome === "passed")).toBe(isPassed);
    expect(came).toHaveLength(isPassed ? TRIALS.length : 0);
  });

  test("is not there gets the error as an answer", async () => {
    const { url } = receiver(() => 204);
    const gone = url.replace(/:\d+/, ":1");
    const { valid, large } = await certifyUrl(gone, [secret]);
    expect(valid).toMatchObject({ outcome: "failed", reason: "unanswered" });
    expect(valid?.answer).toMatchObject({ status: 0, error: "connection_refused" });
    expect(large).toMatchObject({ outcome: "not_tried", reason: "after_failure" });
  });

  test("answers too late fails, by the endpoint's own time limit", async () => {
    const { url } = receiver(() => new Promise<Response>(() => {}));
    const { valid } = await certifyUrl(url, [secret], { timeoutMs: 100 });
    expect(valid?.answer).toMatchObject({ status: 0, error: "timeout" });
  });

  test("has an inbox passes, and the inbox does no work", async () => {
    for (const ordered of [false, true]) {
      const inbox = makeInbox(new Database(":memory:"), {
        endpoint: `ep_${ordered}`,
        secrets: secret,
        ordered,
      });
      await inbox.createTable();
      let works = 0;
      const { url } = receiver((body, request) =>
        inbox.handle(
          new Request(request.url, { method: "POST", headers: request.headers, body }),
          () => works++,
        ),
      );
      const { tls: _, ...results } = await certifyUrl(url, [secret]);
      expect(Object.values(results).filter(({ outcome }) => outcome !== "passed")).toEqual([]);
      expect(works).toBe(0);
    }
  });
});

const ANSWER: JudgedAnswer = {
  status: 204,
  error: null,
  errorDetail: null,
  location: null,
  durationMs: 5,
  tlsMs: null,
};

function judgedAs(given: Partial<Record<TrialName, Partial<JudgedAnswer>>>, url = "https://a.example/") {
  const usual = (name: TrialName) => (trialOf(name).expects === "acceptance" ? 204 : 401);
  const answers = new Map(
    TRIALS.map((name): [TrialName, JudgedAnswer] => [
      name,
      { ...ANSWER, status: usual(name), ...given[name] },
    ]),
  );
  return judgeReceiver({ url, hasDeliveries: true, answers });
}

describe("a report", () => {
  const reasonOf = (results: ReturnType<typeof judgedAs>, wanted: string) =>
    results.find(({ check }) => check === wanted)?.reason;

  test("is passed, a warning or failed, as its worst check", () => {
    expect(overallOutcome(judgedAs({}))).toBe("passed");
    const slow = judgedAs({ large: { durationMs: SLOW_ANSWER_MS } });
    expect([overallOutcome(slow), reasonOf(slow, "speed")]).toEqual(["warning", "slow"]);
    const both = judgedAs({ large: { durationMs: SLOW_ANSWER_MS }, forged: { status: 200 } });
    expect(overallOutcome(both)).toBe("failed");
  });

  test("says that the certificate is not trusted", () => {
    const failed = { status: 0, error: "tls", errorDetail: "certificate_expired" } as const;
    expect(reasonOf(judgedAs({ valid: failed }), "tls")).toBe("not_trusted");
  });

  test("judges no order before the first delivery, and nothing that there was no time for", () => {
    const fresh = judgeReceiver({
      url: "https://a.example/",
      hasDeliveries: false,
      answers: new Map([["valid", ANSWER]]),
    });
    expect(reasonOf(fresh, "out_of_order")).toBe("no_deliveries");
    expect(reasonOf(fresh, "large")).toBe("out_of_time");
  });

  test("says for every check what happened, and points into the page about receivers", () => {
    const page = readFileSync(new URL("../../docs/receiving.md", import.meta.url), "utf8");
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    );
    for (const check of CHECKS)
      for (const reason of [null, ...CHECK_REASONS]) {
        const result = { check, outcome: "failed", reason, answer: ANSWER } as const;
        expect(textOf(result)).not.toBe("");
        const mend = mendOf(result);
        if (mend) expect(headings).toContain(mend.docs);
      }
  });
});
