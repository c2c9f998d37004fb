import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Endpoint } from "../../../src/client/types";
import { attemptsWords, countsSentence } from "../../../src/console/console/words";
import { curlOf } from "../../../src/console/pages/curl";
import { nameOf } from "../../../src/console/shared/endpoint-name";
import { countdown, duration } from "../../../src/console/shared/format";
import { byTrouble } from "../../../src/console/shared/look";
import { linesOf, valuesIn } from "../../../src/console/shared/name-lines";
import { visible } from "../../../src/console/shared/visible-text";

test("hidden characters are written out, and all others stay", () => {
  expect(visible("a\u202eb\u200bc\u0000")).toBe("a\\u202eb\\u200bc\\u0000");
  expect(visible("half \ud83d of a pair, a whole one 😀, and a tab\t\n")).toBe(
    "half \\ud83d of a pair, a whole one 😀, and a tab\t\n",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text).replace(/[\t\n]/g, "")).not.toMatch(
        /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/u,
      );
    }),
  );
});

test("an endpoint without a description is called by its host, by its address, or by its id if its receiver reads", () => {
  const id = "ep_1";
  expect(nameOf({ id, description: " ", url: "https://a.example:8443/hooks" })).toBe("a.example:8443");
  expect(nameOf({ id, description: null, url: "mailto:ops@example.com" })).toBe("mailto:ops@example.com");
  expect(nameOf({ id, description: null, url: null })).toBe(id);
});

test("a command gives the shell the payload and the URL unchanged", async () => {
  const data = { text: 'it\'s $HOME `id` \\ "quoted"\n' };
  const endpoint = { url: "https://a.example/'$(id)'", headers: { "x-a": "b'c" } };
  const command = curlOf({ id: "wh_1", event: "a'b", data } as never, endpoint, endpoint.url);
  const printed = await Bun.$`sh -c ${command.replace(/^curl/, "printf '%s\\n'")}`.text();
  expect(printed).toContain(`${endpoint.url}\n`);
  expect(printed).toContain("x-a: b'c\n");
  expect(printed).toContain(`${JSON.stringify(data)}\n`);
});

test.each([
  [43, "43 ms"],
  [1_900, "1.9 s"],
  [15_000, "15 s"],
  [1_894_000, "31 min 34 s"],
  [3_600_000, "1 h"],
  [188_000_000, "2 d 4 h"],
])("%d ms are %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("endpoints with trouble come first, and then those with most waiting deliveries", () => {
  const endpoint = (state: "healthy" | "paused" | "failing" | "blocked", pending: number) => ({
    name: `${state} ${pending}`,
    health: { state, pending } as Endpoint["health"],
  });
  const found = [
    endpoint("healthy", 9),
    endpoint("paused", 8),
    endpoint("failing", 1),
    endpoint("failing", 3),
    endpoint("blocked", 2),
  ].toSorted(byTrouble);
  expect(found.map(({ name }) => name)).toEqual([
    "blocked 2",
    "failing 3",
    "failing 1",
    "paused 8",
    "healthy 9",
  ]);
});

test.each([
  ["delivered", [503, 200], null, "2 attempts"],
  ["failed", [503, 503], [1_000], "2 attempts; the schedule has 2"],
  // A retry on request is beside the schedule.
  ["pending", [503, 503, 503], [1_000, 1_000, 1_000], "3 attempts; the schedule has 4"],
  ["delivered", [503, 503, 503, 200], [1_000], "4 attempts; the schedule has 2"],
  ["failed", [422], [1_000], "1 attempt: 422 fails a delivery at once here"],
  ["failed", [422], null, "1 attempt: 422 fails a delivery at once here"],
] as const)(
  "a delivery that is %s after %j has its attempts in words",
  (status, statuses, schedule, words) => {
    const endpoint = { permanent_statuses: [422], retry_schedule_ms: schedule && [...schedule] };
    const attempts = statuses.map((each) => ({ status: each }));
    expect(attemptsWords({ status, attempts }, endpoint)).toBe(words);
  },
);

test("a countdown ends at zero", () => {
  expect([252_000, 3_852_000, 1, -5].map(countdown)).toEqual(["04:12", "1:04:12", "00:01", "00:00"]);
});

describe("counts as a sentence", () => {
  const sentence = (delivered: number, failed: number, pending: number) =>
    countsSentence({ delivered, failed, pending, cancelled: 0 });

  test.each([
    [416, 2, 348, "766 deliveries: 416 delivered, 2 failed, 348 waiting."],
    [7, 0, 0, "7 deliveries, all delivered."],
    [0, 1, 0, "1 delivery, failed."],
  ])("%d delivered, %d failed, %d waiting", (delivered, failed, pending, words) => {
    expect(sentence(delivered, failed, pending)).toBe(words);
  });
});

test("headers and notes survive being written as lines", () => {
  const values = { "x-team": "billing: eu", empty: "", authorization: "Bearer a" };
  expect(valuesIn(linesOf(values))).toEqual(values);
  expect(valuesIn("\n a:b \n\nalone")).toEqual({ a: "b", alone: "" });
});
