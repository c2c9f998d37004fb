import { expect, setDefaultTimeout, test } from "bun:test";
import { Balancer } from "../support/faults/balancer";
import { slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { countRepeats } from "../support/faults/checker/repeats";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const WORKERS = 16;
/** The chart waits 5 s between removing a pod from its Service and SIGTERM. The balancer here applies a removal at once. */
const PAUSE_MS = 300;

test("a rolling restart under load loses, repeats and reorders nothing, and refuses no send", async () => {
  await using cluster = await Cluster.start({ postgres: "shared" });
  await using service = await Balancer.start();
  let count = 0;
  const launch = async (role: "api" | "dispatcher") => {
    const pod = await cluster.launch(`${role}-${++count}`, role);
    if (role === "api") service.add(pod.url);
    return pod;
  };
  // Replaces a pod as a Deployment with maxSurge 1 and maxUnavailable 0 does.
  const replace = async (pod: HermodProcess) => {
    await launch(pod.role === "api" ? "api" : "dispatcher");
    if (pod.role === "api") service.remove(pod.url);
    await Bun.sleep(PAUSE_MS);
    expect(await pod.terminate()).toBe(0);
  };
  const roles = ["dispatcher", "api", "dispatcher", "api"] as const;
  const [first, second, third, fourth] = await Promise.all(roles.map(launch));
  const endpoints = await cluster.newEndpoints(30, slow(20));
  const options = { apis: [service.url], key: KEY, endpoints, random: new Random(7), workers: WORKERS };
  const load = new Load({ ...options, perSecond: 150 }).start();
  await until(() => load.accepted > 100, { what: "load" });

  // Restarts both Deployments at the same time, each one pod after the other.
  for (const pods of [
    [first, second],
    [third, fourth],
  ])
    await Promise.all(pods.flatMap((pod) => (pod ? [replace(pod)] : [])));
  const before = load.accepted;
  await until(() => load.accepted > before + 100, { what: "load on the new pods" });
  await load.stop();
  await cluster.settled();

  expect(check(await cluster.evidence([load]))).toEqual([]);
  expect(load.misfits).toEqual([]);
  expect(load.sends.filter(({ outcome }) => outcome.kind === "refused")).toEqual([]);
  // Stopping closes idle connections. A send written to one at that moment gets no answer: at most one per worker and API.
  expect(load.sends.filter(({ outcome }) => outcome.kind === "unknown").length).toBeLessThanOrEqual(
    WORKERS * 2,
  );
  expect(countRepeats(cluster.book.receipts)).toBe(0);
});
