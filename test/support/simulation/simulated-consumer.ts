import type { StreamConsumerOptions } from "../../../src/stream/consumer";
import type { Channel } from "./channel";
import type { Host } from "./host";

export type ConsumerAt = Pick<StreamConsumerOptions, "onHint" | "onFollowing"> & {
  host: Host;
  channel: Channel;
};

/** Reads a dispatcher's partitions from the channel, as src/stream/consumer.ts does from NATS. */
export class SimulatedConsumer {
  private wanted: readonly number[] = [];
  private readonly followed = new Set<number>();

  constructor(private readonly at: ConsumerAt) {}

  get isFollowing(): boolean {
    return !this.at.channel.isAway && this.wanted.every((each) => this.followed.has(each));
  }

  start(): void {}

  follow(partitions: readonly number[]): boolean {
    const before = this.wanted;
    this.wanted = partitions;
    for (const each of before) if (!partitions.includes(each)) this.leave(each);
    for (const each of partitions) if (!before.includes(each)) this.join(each);
    return !this.at.channel.isAway;
  }

  async stop(): Promise<void> {
    this.follow([]);
  }

  private join(partition: number): void {
    const { host, channel, onHint, onFollowing } = this.at;
    channel.follow(partition, { host, onHint }, () => {
      this.followed.add(partition);
      onFollowing([partition]);
    });
  }

  private leave(partition: number): void {
    this.followed.delete(partition);
    this.at.channel.leave(partition, this.at.host);
  }
}
