import type { EndpointId } from "../domain/ids";
import type { DeliveryMessage } from "../stream/message";
import { Actor, type ActorDeps } from "./actor";
import { DormantActors } from "./dormant-actors";
import { WINDOW_MS } from "./pace";

const PASSIVATE_AFTER_MS = 10_000;
/**
 * While there are more actors than so many, those that are too many are let go of sooner, the longest at rest first, for what they
 * take (measured with 100,000 endpoints: 2.5 KB each). What they know is kept for longer, see `DormantActors`.
 */
const MANY = 5_000;
const PASSIVATE_SOON_MS = 1_000;
/** Actors are looked at often enough that none stays for a fifth longer… */
const LOOKS_PER_STAY = 5;
/** …and more often while there are too many: thousands may come within a second. */
const LOOK_OFTEN_MS = 500;
/** Also when it waits for a retry that is further ahead than this, and than two sweeps: one of them wakes it in time. */
const LONG_WAIT_MS = 30_000;

export type RegistryDeps = Omit<ActorDeps, "onClosed" | "startsKnownSince" | "isCalm"> & {
  /** An actor with nothing to do is let go of after this long, milliseconds; ten seconds unless given. */
  passivateAfterMs?: number;
  /** Has attempts that wait for a place look whether they are still wanted. */
  dropUnwanted(): void;
};

/** The actors of the partitions that are ours: activated by a message or by the sweep, passivated when idle. */
export class Registry {
  private readonly partitions = new Map<number, Map<EndpointId, Actor>>();
  private readonly dormant = new DormantActors();
  private readonly draining = new Set<number>();
  /** Of those that drain, what was to begin anew meanwhile. */
  private readonly outdated = new Set<number>();
  private readonly calmed = new Set<number>();
  /** Of partitions that were lost with an attempt under way: if they come back, it is recorded first. */
  private readonly leaving = new Map<EndpointId, Actor>();
  /** By partition, since when all attempts are known to the actors that are made now; monotonic milliseconds. */
  private readonly startsKnownSince = new Map<number, number>();
  private readonly deps: ActorDeps;
  private readonly dropUnwanted: () => void;
  private readonly passivateAfterMs: number;

  constructor({ dropUnwanted, passivateAfterMs = PASSIVATE_AFTER_MS, ...deps }: RegistryDeps) {
    this.dropUnwanted = dropUnwanted;
    this.passivateAfterMs = passivateAfterMs;
    this.deps = {
      ...deps,
      isCalm: (partition) => this.calmed.has(partition),
      startsKnownSince: (partition) => this.startsKnownSince.get(partition) ?? deps.clock.monotonic(),
      onClosed: (actor) => this.forget(actor),
    };
  }

  /** Actors alive. */
  get size(): number {
    return this.partitions.values().reduce((sum, actors) => sum + actors.size, 0);
  }

  open(partition: number): void {
    if (this.partitions.has(partition)) return;
    this.partitions.set(partition, new Map());
    // Another process may have made attempts until now.
    this.startsKnownSince.set(partition, this.deps.clock.monotonic());
  }

  announce(partition: number, message: DeliveryMessage): void {
    this.activate(partition, message.endpointId)?.announce(message);
  }

  /** Whether actors of a partition may be told of work. */
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

  /** Also where no actor is: what it waited for may be due now. */
  endpointChanged(partition: number, endpointId: EndpointId): void {
    const actor = this.partitions.get(partition)?.get(endpointId) ?? this.activate(partition, endpointId);
    if (actor) actor.endpointChanged();
    // While it drains none is made, and it may be set to work again: whoever is next is to read.
    else this.dormant.take({ partition, endpointId });
  }

  /**
   * Changes may have been told that nobody here heard of. A message from before one may come yet, and must not be taken by whoever
   * knows the endpoint as it was then.
   */
  newsMissed(): void {
    for (const [partition, actors] of this.partitions) {
      this.dormant.drop(partition);
      for (const actor of [...actors.values()]) actor.endpointChanged();
    }
  }

  /** Ends all actors of a partition that is no longer ours. */
  close(partition: number): void {
    const actors = this.partitions.get(partition);
    this.partitions.delete(partition);
    this.draining.delete(partition);
    this.outdated.delete(partition);
    this.calmed.delete(partition);
    this.dormant.drop(partition);
    for (const [endpointId, actor] of [...(actors ?? [])]) {
      this.leaving.set(endpointId, actor);
      actor.close();
    }
    this.dropUnwanted();
  }

  /**
   * Ends all actors: what they know may not be so any more, and their successors know nothing. Those that drain end anyway, or
   * as soon as they are set to work again.
   */
  beginAnew(): void {
    for (const partition of [...this.partitions.keys()]) {
      if (this.draining.has(partition)) this.outdated.add(partition);
      else this.reopen(partition);
    }
  }

  /** Has a partition start nothing more; actors without an attempt under way end at once. */
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

  /** While it is on, a partition's receivers that are slow or fail are sent nothing new: so that it can be drained. */
  calm(partition: number, isOn: boolean): void {
    if (isOn) this.calmed.add(partition);
    else this.calmed.delete(partition);
  }

  /** Actors of a partition; while it drains, those whose attempt is not yet recorded. */
  actorsOf(partition: number): number {
    return this.partitions.get(partition)?.size ?? 0;
  }

  /** Closes actors that have had nothing to do for long; returns when to call this again, milliseconds from now. */
  passivate(sweepEveryMs: number): number {
    const aheadMs = Math.max(LONG_WAIT_MS, 2 * sweepEveryMs);
    const all = [...this.partitions.values()].flatMap((actors) => [...actors.values()]);
    const now = this.deps.clock.monotonic();
    const rests = Float64Array.from(all, (actor) => now - actor.restsSince(aheadMs));
    const afterMs = Math.min(this.passivateAfterMs, restAllowed(rests));
    for (const [i, rest] of rests.entries()) if (rest >= afterMs) this.letGo(all[i]);
    const lookAfterMs = this.passivateAfterMs / LOOKS_PER_STAY;
    return this.size > MANY ? Math.min(LOOK_OFTEN_MS, lookAfterMs) : lookAfterMs;
  }

  private reopen(partition: number): void {
    this.close(partition);
    this.open(partition);
  }

  private letGo(actor: Actor | undefined): void {
    if (actor?.rest) this.dormant.keep(actor.queue, actor.rest);
    actor?.close();
  }

  private activate(partition: number, endpointId: EndpointId): Actor | null {
    const actors = this.partitions.get(partition);
    if (!actors || !this.isOpen(partition) || this.leaving.has(endpointId)) return null;
    const existing = actors.get(endpointId);
    if (existing) return existing;
    const queue = { partition, endpointId };
    const actor = new Actor(queue, this.deps, this.dormant.take(queue));
    actors.set(endpointId, actor);
    return actor;
  }

  private forget(actor: Actor): void {
    const { partition, endpointId } = actor.queue;
    const actors = this.partitions.get(partition);
    if (actors?.get(endpointId) === actor) actors.delete(endpointId);
    if (this.leaving.get(endpointId) === actor) this.leaving.delete(endpointId);
    const now = this.deps.clock.monotonic();
    if (actor.lastWorkedAt > now - WINDOW_MS) this.startsKnownSince.set(partition, now);
  }
}

/** How long actors may rest so that there are not too many, given how long each has; of one at work, -Infinity. */
function restAllowed(rests: Float64Array): number {
  const tooMany = rests.length - MANY;
  if (tooMany <= 0) return Number.POSITIVE_INFINITY;
  const longest = rests.toSorted().at(-tooMany) ?? 0;
  return Math.max(PASSIVATE_SOON_MS, longest);
}
