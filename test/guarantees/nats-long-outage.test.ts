import { expect, test } from "bun:test";
import { Cluster } from "../support/faults/cluster";
import { Trial } from "../support/faults/trial";

/** How long NATS is down. Off by default: HERMOD_TEST_NATS_OUTAGE=60 tests an hour. */
const MINUTES = Number(process.env.HERMOD_TEST_NATS_OUTAGE ?? 0);
const MINUTE_MS = 60_000;
const SENDS_PER_SECOND = 25;
/** Without NATS the next sweep finds a delivery. Sweeps are 200 ms apart on an idle machine. */
const LAG_MS = 3_000;

test.skipIf(MINUTES === 0)(
  "neither delay nor memory grows during a long outage of NATS",
  async () => {
    await using cluster = await Cluster.start({ postgres: "own" });
    const processes = await Promise.all([
      cluster.launch("api", "api"),
      cluster.launch("dispatcher-1", "dispatcher"),
      cluster.launch("dispatcher-2", "dispatcher"),
    ]);
    const memory = () => Promise.all(processes.map((each) => each.memory()));
    const trial = new Trial(cluster, 0, SENDS_PER_SECOND);
    await trial.underLoad(async () => {
      const restart = await cluster.nats.stop();
      let early: number[] = [];
      for (let minute = 1; minute <= MINUTES; minute++) {
        const lag = await trial.lagUntil(Bun.sleep(MINUTE_MS));
        const now = await memory();
        if (minute <= 5) early = now;
        const sizes = now.map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`);
        console.log(`minute ${minute}: 99 of 100 within ${lag} ms; ${sizes.join(", ")}`);
        expect(lag).toBeLessThan(LAG_MS);
      }
      const growth = (await memory()).map((bytes, i) => bytes / (early[i] ?? bytes));
      expect(Math.max(...growth)).toBeLessThan(1.5);
      await restart();
    });
  },
  (MINUTES + 5) * MINUTE_MS,
);
