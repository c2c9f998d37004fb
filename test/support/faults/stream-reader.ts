import type { NatsConnection } from "nats";

/** A delivery as a message of the stream announces it. */
export type Seen = { subject: string; id: string; endpoint: string; sequence: number; data: string | null };

type Entry = { id: string; endpoint_id: string; sequence: number; bytes: number | null };

const LINE_FEED = 10;

/** Reads deliveries as a plain client of NATS, as docs/stream.md describes it. */
export class StreamReader {
  readonly seen: Seen[] = [];

  private constructor(private readonly nats: NatsConnection) {
    nats.subscribe("hermod.deliveries.>", {
      callback: (error, { subject, data }) => {
        if (!error) this.read(subject, Buffer.from(data));
      },
    });
  }

  static async start(nats: NatsConnection): Promise<StreamReader> {
    const reader = new StreamReader(nats);
    await nats.flush();
    return reader;
  }

  close(): Promise<void> {
    return this.nats.close();
  }

  private read(subject: string, message: Buffer): void {
    const list = message.indexOf(LINE_FEED) + 1;
    const payloads = message.indexOf(LINE_FEED, list) + 1;
    const entries: Entry[] = JSON.parse(message.toString("utf8", list, payloads));
    let at = payloads;
    for (const { id, endpoint_id: endpoint, sequence, bytes } of entries) {
      const data = bytes === null ? null : message.toString("utf8", at, at + bytes);
      this.seen.push({ subject, id, endpoint, sequence, data });
      at += bytes ?? 0;
    }
  }
}
