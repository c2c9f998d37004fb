import type { EndpointId } from "../../../src/runtime/ids";
import type { DeliveryMessage } from "../../../src/stream/message";
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

type Consumer = { host: Host; onMessage(message: DeliveryMessage): void };
type Post = { partition: number; message: DeliveryMessage };

/** The stream and its partition consumers: a fast hint that may be lost, repeated and out of order. */
export class Channel {
  faults: ChannelFaults = noChannelFaults;
  isAway = false;
  private readonly consumers = new Map<number, Set<Consumer>>();
  private readonly parked = new Map<number, Post[]>();
  private readonly listeners: { host: Host; onChange(partition: number, id: EndpointId): void }[] = [];
  private readonly released: { host: Host; onRelease(): void }[] = [];

  constructor(
    private readonly timeline: Timeline,
    private readonly random: Random,
  ) {}

  publish(partition: number, message: DeliveryMessage): void {
    const { random, faults } = this;
    if (this.isAway || random.chance(faults.lost)) return;
    const sent = random.chance(faults.large) ? { ...message, data: null } : message;
    const post: Post = { partition, message: sent };
    const copies = random.chance(faults.repeated) ? 2 : 1;
    for (let i = 0; i < copies; i++) this.timeline.after(this.latency(), () => this.give(post));
  }

  /** Gives a partition's messages to a host until the returned function is called. */
  consume(partition: number, host: Host, onMessage: (message: DeliveryMessage) => void): () => void {
    const consumers = this.consumers.get(partition) ?? new Set();
    this.consumers.set(partition, consumers);
    const consumer: Consumer = { host, onMessage };
    consumers.add(consumer);
    const parked = this.parked.get(partition) ?? [];
    this.parked.delete(partition);
    for (const post of parked) this.timeline.after(this.latency(), () => this.give(post));
    return () => consumers.delete(consumer);
  }

  /** The server loses its disk: messages not yet given are gone. */
  forgetAll(): void {
    this.parked.clear();
  }

  onEndpointChanged(host: Host, onChange: (partition: number, id: EndpointId) => void): void {
    this.listeners.push({ host, onChange });
  }

  announceChange(partition: number, id: EndpointId): void {
    for (const { host, onChange } of this.listeners) this.tell(host, () => onChange(partition, id));
  }

  onRelease(host: Host, onRelease: () => void): void {
    this.released.push({ host, onRelease });
  }

  announceRelease(): void {
    for (const { host, onRelease } of this.released) this.tell(host, onRelease);
  }

  private tell(host: Host, what: () => void): void {
    if (this.isAway || this.random.chance(this.faults.lost)) return;
    this.timeline.after(this.latency(), () => host.deliver(what));
  }

  private give(post: Post): void {
    const consumers = [...(this.consumers.get(post.partition) ?? [])].filter(({ host }) => !host.isGone);
    if (this.isAway || consumers.length === 0) this.park(post);
    else this.giveTo(this.random.pick(consumers), post);
  }

  private giveTo({ host, onMessage }: Consumer, { message }: Post): void {
    host.deliver(() => onMessage(message));
  }

  private park(post: Post): void {
    const parked = this.parked.get(post.partition) ?? [];
    this.parked.set(post.partition, parked);
    parked.push(post);
  }

  private latency(): number {
    return this.random.chance(this.faults.delayed)
      ? this.random.between(0, DELAY_MS)
      : this.random.between(0.1, 5);
  }
}
