import { expect, test } from "bun:test";
import { Metrics } from "../../src/metrics/metrics";

const samplesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("what can't be read at a scrape is left out, and told again when it can", async () => {
  const metrics = new Metrics();
  let isAway = false;
  metrics.gauge({ name: "pending", help: "…" }, async () => {
    if (isAway) throw new Error("away");
    return 3;
  });
  metrics.gauge({ name: "others", help: "…" }, () => 1);
  expect(samplesOf(await metrics.text())).toEqual(["pending 3", "others 1"]);
  isAway = true;
  expect(samplesOf(await metrics.text())).toEqual(["others 1"]);
  isAway = false;
  expect(samplesOf(await metrics.text())).toEqual(["pending 3", "others 1"]);
});

test("a total is what was counted elsewhere, however often it is scraped", async () => {
  const metrics = new Metrics();
  let counted = 5;
  metrics.total({ name: "seconds_total", help: "…" }, () => counted);
  expect(samplesOf(await metrics.text())).toEqual(["seconds_total 5"]);
  counted = 7;
  expect(samplesOf(await metrics.text())).toEqual(["seconds_total 7"]);
});
