import { describe, expect, test } from "bun:test";
import { sleep } from "../../src/runtime/clock";
import { Cluster, heldBy, type Member, TTL_MS } from "../support/simulation/cluster";
import { type LinkFaults, noLinkFaults } from "../support/simulation/postgres-link";

const SETTLED_MS = 4 * TTL_MS;

/** Checks that every partition has exactly one owner, who knows it, and that the shares are fair. */
function expectFairShares(cluster: Cluster): void {
  const shares = cluster.shares();
  const fair = cluster.partitions / shares.length;
  for (const share of shares) expect([Math.floor(fair), Math.ceil(fair)]).toContain(share);
  for (let partition = 0; partition < cluster.partitions; partition++) {
    expect(cluster.trusting(partition)).toHaveLength(1);
  }
  for (const member of cluster.alive) {
    expect([...heldBy(member)].sort()).toEqual(member.ownership.partitions().sort());
    expect(cluster.table.ownedBy(member.host.name)).toBe(member.ownership.partitions().length);
  }
}

function clusterOf(members: number, partitions: number, busyMs = 0): Cluster {
  const cluster = new Cluster(partitions, members * 1_000 + partitions);
  for (let i = 0; i < members; i++) cluster.join(busyMs);
  cluster.pass(SETTLED_MS);
  return cluster;
}

describe.each([1, 2, 3, 4, 5])("%i dispatchers", (members) => {
  test.each([1, 2, 3, 7, 64])("share %i partitions fairly", (partitions) => {
    expectFairShares(clusterOf(members, partitions));
  });

  test("share fairly again when one joins", () => {
    const cluster = clusterOf(members, 64);
    cluster.join();
    cluster.pass(SETTLED_MS);
    expectFairShares(cluster);
  });

  test("share fairly if they join one after another", () => {
    const cluster = new Cluster(64, members);
    for (let i = 0; i < members; i++) {
      cluster.join();
      cluster.pass(cluster.random.between(0, TTL_MS));
    }
    cluster.pass(SETTLED_MS);
    expectFairShares(cluster);
  });
});

describe.each([2, 3, 4, 5])("of %i dispatchers", (members) => {
  function loseOne(cluster: Cluster): Member {
    const lost = cluster.members[cluster.random.below(members)];
    if (!lost) throw new Error("nobody is there");
    return lost;
  }

  test("one leaves: the others get its partitions at once", () => {
    const cluster = clusterOf(members, 64);
    cluster.leave(loseOne(cluster));
    cluster.pass(200);
    expectFairShares(cluster);
  });

  test("one crashes: the others get its partitions once its leases have expired, and not before", () => {
    const cluster = clusterOf(members, 64);
    const lost = loseOne(cluster);
    const before = cluster.shares().reduce((sum, share) => sum + share) - lost.ownership.partitions().length;
    cluster.crash(lost);
    cluster.pass(TTL_MS / 2);
    expect(cluster.shares().reduce((sum, share) => sum + share)).toBe(before);
    cluster.pass(TTL_MS * 2);
    expectFairShares(cluster);
  });

  test("all but one vanish at once", () => {
    const cluster = clusterOf(members, 64);
    for (const member of cluster.members.slice(1)) cluster.crash(member);
    cluster.pass(SETTLED_MS);
    expectFairShares(cluster);
  });

  test("one is suspended for longer than its leases last", () => {
    const cluster = clusterOf(members, 64);
    loseOne(cluster).host.pause(3 * TTL_MS);
    cluster.pass(3 * TTL_MS + SETTLED_MS);
    expectFairShares(cluster);
  });
});

describe("a hand-over", () => {
  test("drains a partition before its release, and takes no longer than the attempts under way", () => {
    const cluster = new Cluster(64);
    const first = cluster.join(100);
    cluster.pass(TTL_MS);
    cluster.join(100);
    cluster.pass(TTL_MS);
    expectFairShares(cluster);
    expect(first.drains.length).toBe(32);
    expect(first.resumes).toEqual([]);
  });

  test("leaves a partition that can't pause with its owner, and tries the others", () => {
    const cluster = new Cluster(8);
    const busy = cluster.join(60_000);
    cluster.pass(TTL_MS);
    cluster.join();
    cluster.pass(60 * TTL_MS);
    expect(busy.ownership.partitions()).toHaveLength(8);
    expect(new Set(busy.drains).size).toBe(8);
    // A partition that is being drained has not been restarted yet.
    expect(busy.drains.length - busy.resumes.length).toBeLessThanOrEqual(4);
    expect(busy.changes.filter((change) => change.startsWith("-"))).toEqual([]);
  });

  test("in vain is tried again later, and each time later still", () => {
    const cluster = new Cluster(8);
    const busy = cluster.join(60_000);
    cluster.pass(TTL_MS);
    cluster.join();
    const seconds = 60;
    cluster.pass(seconds * 1_000);
    // A drain holds back every endpoint of its partition, so a partition should nearly always be at work.
    const heldBackMs = busy.drains.length * 400;
    expect(heldBackMs / (8 * seconds * 1_000)).toBeLessThan(0.03);
    // Nothing was released, so nobody is notified.
    expect(cluster.releases).toBe(0);
  });

  test("holds back slow and failing receivers if no pause is possible otherwise, and succeeds once they rest", () => {
    const cluster = new Cluster(64);
    const busy = cluster.join(60_000);
    busy.restedAfterMs = 15_000;
    cluster.pass(TTL_MS);
    cluster.join();
    cluster.pass(8 * TTL_MS);
    expectFairShares(cluster);
    cluster.pass(TTL_MS);
    expect(busy.ownership.partitions().filter((partition) => busy.slowHeld.has(partition))).toEqual([]);
  });

  test("holds them back for two minutes at most, and then those of other partitions", () => {
    const cluster = new Cluster(8);
    const busy = cluster.join(60_000);
    cluster.pass(TTL_MS);
    cluster.join();
    const held = new Set<number>();
    for (let second = 0; second < 900; second++) {
      cluster.pass(1_000);
      const now = busy.host.clock.monotonic();
      for (const [partition, since] of busy.slowHeld) {
        held.add(partition);
        expect(now - since).toBeLessThan(120_000 + TTL_MS);
      }
    }
    expect(held.size).toBe(8);
  });

  test("that is no longer wanted holds nobody back", () => {
    const cluster = new Cluster(8);
    const busy = cluster.join(60_000);
    cluster.pass(TTL_MS);
    const other = cluster.join();
    cluster.pass(3 * TTL_MS);
    expect(busy.slowHeld.size).toBe(4);
    cluster.leave(other);
    cluster.pass(2 * TTL_MS);
    expect(busy.slowHeld.size).toBe(0);
  });
});

describe("trust", () => {
  test("ends before Postgres lets the lease expire, however long the answer took", () => {
    const cluster = new Cluster(4);
    const member = cluster.join();
    cluster.pass(TTL_MS);
    cluster.link.goDown(3 * TTL_MS);
    cluster.pass(TTL_MS);
    expect(cluster.table.ownedBy(member.host.name)).toBe(0);
    for (let partition = 0; partition < 4; partition++) expect(cluster.trusting(partition)).toEqual([]);
    cluster.pass(3 * TTL_MS);
    expectFairShares(cluster);
    expect(member.changes).toHaveLength(4);
  });

  test("ends a tenth of the lease's time before, for requests on their way to a receiver", () => {
    const cluster = new Cluster(1);
    const member = cluster.join();
    cluster.pass(TTL_MS);
    cluster.link.goDown(2 * TTL_MS);
    for (let i = 0; i < TTL_MS && cluster.trusting(0).length > 0; i++) cluster.pass(1);
    cluster.pass(TTL_MS / 10 - 2);
    expect(cluster.table.ownedBy(member.host.name)).toBe(1);
  });

  test("does not survive a change of terms, since another dispatcher owned the partition in between", () => {
    const cluster = new Cluster(1);
    const member = cluster.join();
    cluster.pass(TTL_MS);
    member.leases.renew = async () => ({
      leases: [{ partition: 0, term: 7 }],
      share: 1,
      at: cluster.timeline.now,
      heldUntil: null,
    });
    cluster.pass(TTL_MS);
    expect(member.changes).toEqual(["+0", "-0", "+0"]);
  });

  test("goes on after a renewal that says that endpoints are held, which the dispatcher learns first, and once", () => {
    const cluster = new Cluster(1);
    const member = cluster.join();
    cluster.pass(TTL_MS);
    const renew = member.leases.renew.bind(member.leases);
    member.leases.renew = async (isLeaving) => ({ ...(await renew(isLeaving)), heldUntil: 4_711 });
    cluster.pass(TTL_MS);
    expect(member.changes).toEqual(["+0", "held"]);
    expect(cluster.trusting(0)).toHaveLength(1);
  });

  test("ends with the lease: a partition that was lost meanwhile is left alone", () => {
    const cluster = clusterOf(2, 2);
    const [stopped, other] = cluster.members;
    stopped?.host.pause(2 * TTL_MS);
    cluster.pass(2 * TTL_MS - 1);
    expect(other?.ownership.partitions()).toHaveLength(2);
    cluster.pass(1);
    expect(cluster.trusting(0)).toHaveLength(1);
    expect(cluster.trusting(1)).toHaveLength(1);
  });
});

describe("clocks that jump", () => {
  test.each([-3_600_000, -TTL_MS / 2, TTL_MS / 2, 2 * TTL_MS, 3_600_000])(
    "Postgres' by %p ms: no partition changes hands, since every owner renews its leases",
    (byMs) => {
      for (let seed = 0; seed < 30; seed++) {
        const cluster = new Cluster(7, seed);
        for (let i = 0; i < 3; i++) cluster.join();
        cluster.pass(SETTLED_MS + cluster.random.between(0, TTL_MS));
        const before = cluster.members.map(({ changes }) => changes.length);
        cluster.table.setClock(byMs);
        cluster.pass(SETTLED_MS);
        expect(cluster.members.map(({ changes }) => changes.length)).toEqual(before);
        expectFairShares(cluster);
      }
    },
  );

  test("Postgres' back and, after a while, ahead again: no partition changes hands", () => {
    const cluster = clusterOf(3, 7);
    const before = cluster.members.map(({ changes }) => changes.length);
    cluster.table.setClock(-3_600_000);
    cluster.pass(TTL_MS);
    cluster.table.setClock(3_600_000);
    cluster.pass(SETTLED_MS);
    expect(cluster.members.map(({ changes }) => changes.length)).toEqual(before);
  });

  test.each([-3_600_000, -3 * TTL_MS, 3_600_000])(
    "Postgres' by %p ms, and then an owner dies: its partitions are taken over a little later",
    (byMs) => {
      const cluster = clusterOf(2, 7);
      cluster.table.setClock(byMs);
      cluster.crash(cluster.members[0] as Member);
      cluster.pass(3 * TTL_MS);
      expectFairShares(cluster);
    },
  );

  test("a suspended machine's, with its monotonic clock: it trusts no lease from before", () => {
    for (let seed = 0; seed < 30; seed++) {
      const cluster = new Cluster(7, seed);
      for (let i = 0; i < 3; i++) cluster.join();
      cluster.pass(SETTLED_MS + cluster.random.between(0, TTL_MS));
      cluster.random.pick(cluster.members).host.suspend(3 * TTL_MS);
      cluster.pass(3 * TTL_MS + SETTLED_MS);
      expectFairShares(cluster);
    }
  });

  test("an owner's own, back: it trusts no lease for longer", () => {
    const cluster = new Cluster(4);
    const { host } = cluster.join();
    cluster.pass(TTL_MS);
    cluster.link.goDown(3 * TTL_MS);
    host.setClock(-3_600_000);
    cluster.pass(TTL_MS);
    for (let partition = 0; partition < 4; partition++) expect(cluster.trusting(partition)).toEqual([]);
  });

  test("every owner's, on a suspended machine", () => {
    for (let seed = 0; seed < 30; seed++) {
      const cluster = new Cluster(7, seed);
      for (let i = 0; i < 3; i++) cluster.join();
      cluster.pass(SETTLED_MS + cluster.random.between(0, TTL_MS));
      const before = cluster.members.map(({ changes }) => changes.length);
      for (const { host } of cluster.members) host.suspend(3_600_000);
      cluster.pass(3_600_000 + SETTLED_MS);
      expect(cluster.members.map(({ changes }) => changes.length)).toEqual(before);
      expectFairShares(cluster);
    }
  });
});

describe("an outage of Postgres", () => {
  test.each([0.3, 0.5, 0.6, 0.8, 1, 1.5, 3])(
    "of %p leases: no partition changes hands, since every owner renews its leases",
    (leases) => {
      for (let seed = 0; seed < 30; seed++) {
        const cluster = new Cluster(7, seed);
        for (let i = 0; i < 3; i++) cluster.join();
        cluster.pass(SETTLED_MS + cluster.random.between(0, TTL_MS));
        const before = cluster.members.map(({ changes }) => changes.length);
        cluster.link.goDown(leases * TTL_MS);
        cluster.pass(leases * TTL_MS + SETTLED_MS);
        expect(cluster.members.map(({ changes }) => changes.length)).toEqual(before);
        expectFairShares(cluster);
      }
    },
  );
});

describe("bad timing", () => {
  test("a release that Postgres does after its caller gave up takes nothing from an owner that trusts its lease", () => {
    for (let seed = 0; seed < 20; seed++) {
      const cluster = new Cluster(2, seed);
      const first = cluster.join();
      cluster.pass(TTL_MS);
      first.onDrained = () => {
        cluster.link.faults = { ...noLinkFaults, late: 1 };
        cluster.timeline.after(4, () => {
          cluster.link.faults = noLinkFaults;
        });
      };
      cluster.join();
      cluster.pass(SETTLED_MS);
      expectFairShares(cluster);
    }
  });

  test("a claim that takes longer than the leases last does not gain an owned partition a second time", () => {
    const cluster = new Cluster(4);
    const [first, second] = [cluster.join(), cluster.join()];
    cluster.pass(SETTLED_MS);
    const claim = second.leases.claim.bind(second.leases);
    second.leases.claim = async (count, expiredBefore) => {
      second.leases.claim = claim;
      await sleep(second.host.clock, 1.1 * TTL_MS);
      return claim(count, expiredBefore);
    };
    cluster.crash(first);
    cluster.pass(3 * SETTLED_MS);
    expect(second.changes.toSorted()).toEqual(["+0", "+1", "+2", "+3"]);
  });
});

describe("a retiring owner takes nothing more", () => {
  test("neither what it was claiming", () => {
    const cluster = new Cluster(4);
    const [first, second] = [cluster.join(), cluster.join()];
    cluster.pass(SETTLED_MS);
    const claim = second.leases.claim.bind(second.leases);
    second.leases.claim = (count, expiredBefore) => {
      second.ownership.retire();
      return claim(count, expiredBefore);
    };
    cluster.crash(first);
    cluster.pass(2 * TTL_MS);
    expect([...heldBy(second)].sort()).toEqual([0, 1]);
  });

  test("nor what turns out to be its own: a claim whose answer was lost", () => {
    const cluster = new Cluster(2);
    const member = cluster.join();
    cluster.pass(TTL_MS);
    member.ownership.retire();
    member.leases.renew = async () => ({
      leases: [0, 1, 2].map((partition) => ({ partition, term: 1 })),
      share: 3,
      at: cluster.timeline.now,
      heldUntil: null,
    });
    cluster.pass(TTL_MS);
    expect([...heldBy(member)].sort()).toEqual([0, 1]);
  });

  test("and releases what it gave up, although the first try failed and another partition is busy", () => {
    const cluster = new Cluster(4);
    const leaving = cluster.join();
    cluster.pass(TTL_MS);
    const release = leaving.leases.release.bind(leaving.leases);
    leaving.leases.release = async () => {
      leaving.leases.release = release;
      throw new Error("the connection was lost");
    };
    leaving.ownership.retire();
    leaving.host.deliver(() => leaving.ownership.giveUp([0, 1, 2]).catch(() => {}));
    const other = cluster.join();
    cluster.pass(TTL_MS);
    expect([...heldBy(leaving)]).toEqual([3]);
    expect([...heldBy(other)].sort()).toEqual([0, 1, 2]);
  });

  test("nor does it resume a partition that was drained for a hand-over meanwhile", () => {
    const cluster = new Cluster(2);
    const first = cluster.join(60_000);
    cluster.pass(TTL_MS);
    cluster.join();
    for (let i = 0; i < 10_000 && first.drains.length === 0; i++) cluster.pass(1);
    expect(first.drains).toHaveLength(1);
    first.ownership.retire();
    cluster.pass(TTL_MS);
    expect(first.resumes).toEqual([]);
  });
});

/** Joins, leaves, crashes, pauses, jumps and failing calls in any order. `pass` checks the trust after every event. */
function disturb(cluster: Cluster, faults: Partial<LinkFaults>): void {
  const { random } = cluster;
  cluster.link.faults = { ...noLinkFaults, ...faults };
  for (let i = 0; i < 25; i++) {
    const draw = random.below(9);
    if (cluster.alive.length < 2 || (draw === 0 && cluster.alive.length < 5))
      cluster.join(random.pick([0, 50, 1_000]));
    const member = random.pick(cluster.alive);
    if (draw === 1) cluster.leave(member);
    else if (draw === 2) cluster.crash(member);
    else if (draw < 5) member.host.pause(TTL_MS * random.pick([0.3, 0.5, 1, 3]));
    else if (draw === 5) cluster.link.goDown(random.between(0, 3 * TTL_MS));
    else if (draw === 6) member.host.suspend(TTL_MS * random.pick([0.3, 0.5, 1, 3]));
    else if (draw === 7) cluster.table.setClock(TTL_MS * random.pick([-0.2, 0.2, 0.7, 100]));
    cluster.pass(random.between(0, TTL_MS));
  }
  cluster.link.faults = noLinkFaults;
  cluster.join();
  for (const member of cluster.alive) member.busyMs = 0;
  cluster.pass(3 * TTL_MS + SETTLED_MS);
}

describe("whatever happens", () => {
  test("no two owners trust one partition at the same time, and all is shared fairly in the end", () => {
    for (let seed = 0; seed < 150; seed++) {
      const cluster = new Cluster(7, seed);
      disturb(cluster, { refused: 0.1, unknown: 0.1, slow: 0.3 });
      expectFairShares(cluster);
    }
  });

  test("the same holds if calls are done after their caller has given up", () => {
    for (let seed = 0; seed < 150; seed++) {
      const cluster = new Cluster(7, seed);
      disturb(cluster, { unknown: 0.1, late: 0.1, slow: 0.3 });
      expectFairShares(cluster);
    }
  });
});
