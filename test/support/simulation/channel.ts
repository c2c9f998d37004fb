import type { EndpointId } from "../../../src/domain/ids";
import type { Hint } from "../../../src/stream/hint";
import type { Host } from "./host";
import type { Random } from "./random";
import type { Timeline } from "./timeline";

/** How the stream fails those who rely on it; probabilities of a message. */
export type ChannelFaults = {
  lost: number;
  repeated: number;
  /** Arrives so late that others overtake it. */
  delayed: number;
  /** Carries no payload, being too large. */
  large: number;
};

export const noChannelFaults: ChannelFaults = { lost: 0, repeated: 0, delayed: 0, large: 0 };

const DELAY_MS = 3_000;
/** How long a dispatcher waits after it could not follow a partition. */
const FOLLOW_AGAIN_MS = 1_000;
/** How long a message waits to be tried again while the server is away. */
const AWAY_MS = 100;

type Consumer = { host: Host; onHint(hint: Hint): void };

/** The stream: a fast hint that may be lost, repeated, out of order, and come to a dispatcher that owns the partition no more. */
export class Channel {
  faults: ChannelFaults = noChannelFaults;
  private isGone = false;
  /** By partition. */
  private readonly consumers = new Map<number, Consumer[]>();
  /** Counts the losses of the disk. */
  private store = 0;
  private readonly listeners: { host: Host; onChange(partition: number, id: EndpointId): void }[] = [];
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

  /** The host that has accepted the delivery knows its own message. */
  publish(partition: number, message: Hint, from: Host | null): void {
    const { random, faults } = this;
    if (this.isAway || random.chance(faults.lost)) return;
    const sent = random.chance(faults.large) ? { ...message, data: null } : message;
    for (const consumer of this.consumers.get(partition) ?? []) {
      const copies = random.chance(faults.repeated) ? 2 : 1;
      for (let i = 0; i < copies && consumer.host !== from; i++) this.give(consumer, sent, this.latency());
    }
  }

  /** From some time soon the partition's messages come to this host: it learns when. */
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

  /** Messages may come for a while yet. */
  leave(partition: number, host: Host): void {
    const isLeaving = new Set(this.consumers.get(partition)?.filter((each) => each.host === host));
    this.timeline.after(this.latency(), () => {
      const staying = this.consumers.get(partition)?.filter((each) => !isLeaving.has(each));
      this.consumers.set(partition, staying ?? []);
    });
  }

  /** The server loses its disk: messages not yet given are gone. */
  forgetAll(): void {
    this.store++;
  }

  onEndpointChanged(host: Host, onChange: (partition: number, id: EndpointId) => void): void {
    this.listeners.push({ host, onChange });
  }

  announceChange(partition: number, id: EndpointId): void {
    for (const { host, onChange } of this.listeners) this.notify(host, () => onChange(partition, id));
  }

  onRelease(host: Host, onRelease: () => void): void {
    this.released.push({ host, onRelease });
  }

  /** Calls when notices may have been missed. */
  onReturned(host: Host, onReturned: () => void): void {
    this.returned.push({ host, onReturned });
  }

  announceRelease(): void {
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
