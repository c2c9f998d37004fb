import type { EndpointId } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import { BoundedMap } from "../runtime/bounded-map";
import type { Hint } from "../stream/hint";
import { Actor, type ActorDeps, type DormantActor } from "./actor";

const PASSIVATE_AFTER_MS = 10_000;
/**
 * More actors than this are released sooner, longest idle first, to save memory: 2.5 KB each (measured with 100,000
 * endpoints). Their states are kept for longer, see `DormantActors`.
 */
const MANY = 5_000;
const PASSIVATE_SOON_MS = 1_000;
/** Checks an actor this often during its stay, so that none stays more than a fifth too long. */
const CHECKS_PER_STAY = 5;
/** Checks this often while there are too many actors, since thousands may be created within a second. */
const CHECK_OFTEN_MS = 500;
/** An actor is idle if its next retry is further ahead than this and than two sweeps. A sweep wakes it in time. */
const LONG_WAIT_MS = 30_000;

export type RegistryDeps = Omit<ActorDeps, "onClosed" | "startsKnownSince" | "holdsSlowReceivers"> & {
  /** Releases an actor after this many idle milliseconds; 10,000 by default. */
  passivateAfterMs?: number;
  /** Drops attempts that wait for a slot and are not wanted any more. */
  dropUnwanted(): void;
};

/** Holds the actors of our partitions. A hint or the sweep creates an actor. An idle actor is released. */
export class Registry {
  private readonly partitions = new Map<number, Map<EndpointId, Actor>>();
  private readonly dormant = new DormantActors();
  private readonly draining = new Set<number>();
  /** Draining partitions whose actors must be replaced if they are resumed. */
  private readonly outdated = new Set<number>();
  private readonly slowHeld = new Set<number>();
  /** Actors of lost partitions with an attempt in flight. If the partition comes back, that attempt is recorded first. */
  private readonly leaving = new Map<EndpointId, Actor>();
  /** By partition, the time since which new actors know all attempts, in monotonic milliseconds. */
  private readonly startsKnownSince = new Map<number, number>();
  private readonly deps: ActorDeps;
  private readonly dropUnwanted: RegistryDeps["dropUnwanted"];
  private readonly passivateAfterMs: number;

  constructor({ dropUnwanted, passivateAfterMs = PASSIVATE_AFTER_MS, ...deps }: RegistryDeps) {
    this.dropUnwanted = dropUnwanted;
    this.passivateAfterMs = passivateAfterMs;
    this.deps = {
      ...deps,
      holdsSlowReceivers: (partition) => this.slowHeld.has(partition),
      startsKnownSince: (partition) => this.startsKnownSince.get(partition) ?? deps.clock.monotonic(),
      onClosed: (actor) => this.forget(actor),
    };
  }

  /** Number of actors. */
  get size(): number {
    return this.partitions.values().reduce((sum, actors) => sum + actors.size, 0);
  }

  open(partition: number): void {
    if (this.partitions.has(partition)) return;
    this.partitions.set(partition, new Map());
    // Another process may have made attempts until now.
    this.startsKnownSince.set(partition, this.deps.clock.monotonic());
  }

  announce(hint: Hint): void {
    this.activate(hint.partition, hint.endpointId)?.announce(hint);
  }

  /** Returns true if a partition's actors may get work. */
  isOpen(partition: number): boolean {
    return this.partitions.has(partition) && !this.draining.has(partition);
  }

  wake(
    partition: number,
    endpointId: EndpointId,
    lastSequence: number | null = null,
    aheadMs?: number,
  ): void {
    this.activate(partition, endpointId)?.wake(lastSequence, aheadMs);
  }

  /** Creates the actor if there is none, since what it waited for may be due now. */
  endpointChanged({ partition, endpointId }: QueueKey): void {
    const actor = this.partitions.get(partition)?.get(endpointId) ?? this.activate(partition, endpointId);
    if (actor) actor.endpointChanged();
    // A draining partition creates no actor. It may be resumed, and the next actor must then read the endpoint.
    else this.dormant.forget(endpointId);
  }

  /**
   * Makes all actors read their endpoints again, since notices of changes may have been missed. A hint from before a
   * change may still arrive, and no actor with the former settings must attempt it.
   */
  noticesMissed(): void {
    for (const [partition, actors] of this.partitions) {
      this.dormant.forgetPartition(partition);
      for (const actor of [...actors.values()]) actor.endpointChanged();
    }
  }

  /** Ends all actors of a partition that this process has lost. */
  close(partition: number): void {
    const actors = this.partitions.get(partition);
    this.partitions.delete(partition);
    this.draining.delete(partition);
    this.outdated.delete(partition);
    this.slowHeld.delete(partition);
    this.dormant.forgetPartition(partition);
    for (const [endpointId, actor] of [...(actors ?? [])]) {
      this.leaving.set(endpointId, actor);
      actor.close();
    }
    this.dropUnwanted();
  }

  /**
   * Replaces all actors by new ones, since their state may be wrong. Draining actors end anyway, or once their partition is
   * resumed.
   */
  reset(): void {
    for (const partition of [...this.partitions.keys()]) {
      if (this.draining.has(partition)) this.outdated.add(partition);
      else this.reopen(partition);
    }
  }

  /** Starts nothing more in a partition. Actors without an attempt in flight end at once. */
  drain(partition: number): void {
    this.draining.add(partition);
    for (const actor of [...(this.partitions.get(partition)?.values() ?? [])]) actor.drain();
    this.dropUnwanted();
  }

  resume(partition: number): void {
    this.draining.delete(partition);
    if (this.outdated.has(partition)) this.reopen(partition);
    else for (const actor of this.partitions.get(partition)?.values() ?? []) actor.resume();
  }

  /** While on, slow and failing receivers of the partition get nothing new, so that it can be drained. */
  holdSlowReceivers(partition: number, isOn: boolean): void {
    if (isOn) this.slowHeld.add(partition);
    else this.slowHeld.delete(partition);
  }

  /** Returns how many actors a partition has; while it drains, how many attempts are not yet recorded. */
  actorsOf(partition: number): number {
    return this.partitions.get(partition)?.size ?? 0;
  }

  /** Releases actors that have been idle for long. Returns in how many milliseconds to call it again. */
  passivate(sweepEveryMs: number): number {
    const aheadMs = Math.max(LONG_WAIT_MS, 2 * sweepEveryMs);
    const all = [...this.partitions.values()].flatMap((actors) => [...actors.values()]);
    const now = this.deps.clock.monotonic();
    const idleMs = Float64Array.from(all, (actor) => now - actor.idleSince(aheadMs));
    const afterMs = Math.min(this.passivateAfterMs, idleMsAllowed(idleMs));
    for (const [i, ms] of idleMs.entries()) if (ms >= afterMs) this.release(all[i]);
    const checkAfterMs = this.passivateAfterMs / CHECKS_PER_STAY;
    return this.size > MANY ? Math.min(CHECK_OFTEN_MS, checkAfterMs) : checkAfterMs;
  }

  private reopen(partition: number): void {
    this.close(partition);
    this.open(partition);
  }

  private release(actor: Actor | undefined): void {
    if (actor?.dormant) this.dormant.keep(actor.queue, actor.dormant);
    actor?.close();
  }

  private activate(partition: number, endpointId: EndpointId): Actor | null {
    const actors = this.partitions.get(partition);
    if (!actors || !this.isOpen(partition) || this.leaving.has(endpointId)) return null;
    const existing = actors.get(endpointId);
    if (existing) return existing;
    const queue = { partition, endpointId };
    const actor = new Actor(queue, this.deps, this.dormant.revive(queue));
    actors.set(endpointId, actor);
    return actor;
  }

  private forget(actor: Actor): void {
    const { partition, endpointId } = actor.queue;
    const actors = this.partitions.get(partition);
    if (actors?.get(endpointId) === actor) actors.delete(endpointId);
    if (this.leaving.get(endpointId) === actor) this.leaving.delete(endpointId);
    const now = this.deps.clock.monotonic();
    if (actor.pacedUntil > now) this.startsKnownSince.set(partition, now);
  }
}

/** Returns how long actors may be idle, so that there are not too many. `idleMs`: of each actor; -Infinity: it works. */
function idleMsAllowed(idleMs: Float64Array): number {
  const tooMany = idleMs.length - MANY;
  if (tooMany <= 0) return Number.POSITIVE_INFINITY;
  const longest = idleMs.toSorted().at(-tooMany) ?? 0;
  return Math.max(PASSIVATE_SOON_MS, longest);
}

/** A state, and how often its partition had been forgotten when it was kept. */
type Kept = DormantActor & Readonly<{ timesForgotten: number }>;

/** Most weight of all dormant actors, in bytes: some 100,000 ordinary ones. */
const MAX_WEIGHT = 64 * 1_048_576;
/** Weight of a dormant actor beside its texts, in bytes. */
const OBJECTS_WEIGHT = 512;

/** Keeps the states of released actors. A state takes much less memory than an actor, so there can be many more. */
export class DormantActors {
  private readonly kept = new BoundedMap<EndpointId, Kept>(MAX_WEIGHT, weightOf);
  private readonly timesForgotten = new Map<number, number>();

  keep({ partition, endpointId }: QueueKey, { tail, endpoint }: DormantActor): void {
    this.kept.set(endpointId, { tail, endpoint, timesForgotten: this.timesForgottenOf(partition) });
  }

  /** Removes and returns the state that the endpoint's actor left. */
  revive({ partition, endpointId }: QueueKey): DormantActor | null {
    const kept = this.kept.get(endpointId);
    if (!kept) return null;
    this.kept.delete(endpointId);
    return kept.timesForgotten === this.timesForgottenOf(partition)
      ? { tail: kept.tail, endpoint: kept.endpoint }
      : null;
  }

  /** Forgets the state that an endpoint's actor left. */
  forget(endpointId: EndpointId): void {
    this.kept.delete(endpointId);
  }

  /** Forgets the states of a partition, because another process may act on it from now on. */
  forgetPartition(partition: number): void {
    this.timesForgotten.set(partition, this.timesForgottenOf(partition) + 1);
  }

  private timesForgottenOf(partition: number): number {
    return this.timesForgotten.get(partition) ?? 0;
  }
}

function weightOf({ endpoint }: Kept): number {
  const { url, secrets, expiringSecrets, headers } = endpoint;
  const all = [...secrets, ...expiringSecrets.map(({ secret }) => secret)];
  const texts = [url, ...all, ...Object.entries(headers ?? {}).flat()];
  return texts.reduce((weight, text) => weight + text.length, OBJECTS_WEIGHT);
}
