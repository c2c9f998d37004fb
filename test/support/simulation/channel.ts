import type { QueueKey } from "../../../src/domain/partition";
import type { Hint } from "../../../src/stream/hint";
import type { Host } from "./host";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

/** How the stream fails. Each number is the probability per message. */
export type ChannelFaults = {
  lost: number;
  repeated: number;
  /** Arrives so late that others overtake it. */
  delayed: number;
  /** Carries no payload, because it is too large. */
  large: number;
};

export const noChannelFaults: ChannelFaults = { lost: 0, repeated: 0, delayed: 0, large: 0 };

const DELAY_MS = 3_000;
/** How long a dispatcher waits before it tries to follow a partition again. */
const FOLLOW_AGAIN_MS = 1_000;
/** How long a message waits for its next try while the server is down. */
const AWAY_MS = 100;

type Consumer = { host: Host; onHint(hint: Hint): void };

/**
 * Carries hints fast, but may lose, repeat and reorder them, and bring them to a dispatcher that no longer owns the
 * partition.
 */
export class Channel {
  faults: ChannelFaults = noChannelFaults;
  private isGone = false;
  /** Consumers by partition. */
  private readonly consumers = new Map<number, Consumer[]>();
  /** Counts how often the server has lost its disk. */
  private store = 0;
  private readonly listeners: { host: Host; onChange(queue: QueueKey): void }[] = [];
  private readonly released: { host: Host; onRelease(): void }[] = [];
  private readonly returned: { host: Host; onReturned(): void }[] = [];

  constructor(
    private readonly timeline: Timeline,
    private readonly random: Random,
  ) {}

  get isAway(): boolean {
    return this.isGone;
  }

  set isAway(isAway: boolean) {
    const isBack = this.isGone && !isAway;
    this.isGone = isAway;
    if (isBack) for (const { host, onReturned } of this.returned) this.notify(host, onReturned);
  }

  /** Publishes a hint. The host that accepted the delivery gets no copy of its own. */
  publish(partition: number, message: Hint, from: Host | null): void {
    const { random, faults } = this;
    if (this.isAway || random.chance(faults.lost)) return;
    const sent = random.chance(faults.large) ? { ...message, data: null } : message;
    for (const consumer of this.consumers.get(partition) ?? []) {
      const copies = random.chance(faults.repeated) ? 2 : 1;
      for (let i = 0; i < copies && consumer.host !== from; i++) this.give(consumer, sent, this.latency());
    }
  }

  /** Brings a partition's messages to this host from some time soon, and notifies it then. */
  follow(partition: number, consumer: Consumer, onFollowing: () => void): void {
    const { random, timeline } = this;
    const isHeard = !this.isAway && !random.chance(this.faults.lost);
    if (!isHeard) {
      timeline.after(FOLLOW_AGAIN_MS, () => this.follow(partition, consumer, onFollowing));
      return;
    }
    timeline.after(this.latency(), () => {
      const others = this.consumers.get(partition) ?? [];
      this.consumers.set(partition, [...others.filter(({ host }) => host !== consumer.host), consumer]);
      consumer.host.deliver(onFollowing);
    });
  }

  /** Stops following a partition. Messages may still come for a while. */
  leave(partition: number, host: Host): void {
    const isLeaving = new Set(this.consumers.get(partition)?.filter((each) => each.host === host));
    this.timeline.after(this.latency(), () => {
      const staying = this.consumers.get(partition)?.filter((each) => !isLeaving.has(each));
      this.consumers.set(partition, staying ?? []);
    });
  }

  /** Loses the server's disk, with every message not yet delivered. */
  forgetAll(): void {
    this.store++;
  }

  onEndpointChanged(host: Host, onChange: (queue: QueueKey) => void): void {
    this.listeners.push({ host, onChange });
  }

  notifyChange(queue: QueueKey): void {
    for (const { host, onChange } of this.listeners) this.notify(host, () => onChange(queue));
  }

  onRelease(host: Host, onRelease: () => void): void {
    this.released.push({ host, onRelease });
  }

  /** Calls `onReturned` when notices may have been missed. */
  onReturned(host: Host, onReturned: () => void): void {
    this.returned.push({ host, onReturned });
  }

  notifyRelease(): void {
    for (const { host, onRelease } of this.released) this.notify(host, onRelease);
  }

  private notify(host: Host, what: () => void): void {
    if (this.isAway || this.random.chance(this.faults.lost)) return;
    this.timeline.after(this.latency(), () => host.deliver(what));
  }

  private give(consumer: Consumer, message: Hint, afterMs: number): void {
    const { store } = this;
    const { host, onHint } = consumer;
    this.timeline.after(afterMs, () => {
      if (store !== this.store || host.isGone) return;
      if (this.isAway) this.give(consumer, message, AWAY_MS);
      else host.deliver(() => onHint(message));
    });
  }

  private latency(): number {
    return this.random.chance(this.faults.delayed)
      ? this.random.between(0, DELAY_MS)
      : this.random.between(0.1, 5);
  }
}
