import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

/**
 * The records of a name: addresses of both families, or the name that it is an alias of. A `mute` zone does not answer
 * questions for IPv6.
 */
export type Zone =
  | { addresses: readonly string[]; alias?: string; mute?: boolean }
  | "nxdomain"
  | "servfail"
  | "garbage";

const [A, CNAME, AAAA] = [1, 5, 28];
const CODES = { nxdomain: 3, servfail: 2 } as const;
/** A pointer to the question's name, at the 12th byte of a message. */
const NAME_OF_QUESTION = [0xc0, 0x0c];

/**
 * A DNS server that can answer differently each time (RFC 1035; UDP only, TTL 0). While it is open, this process resolves
 * every name here.
 */
export class NameServer {
  /** The number of queries for each name's IPv4 addresses. */
  readonly asked = new Map<string, number>();

  private constructor(
    private readonly socket: Socket,
    private readonly zoneOf: (name: string, count: number) => Zone,
    private readonly before: string[],
  ) {}

  /** `zoneOf` returns the records of a name for the `count`-th query, from 1. */
  static async open(zoneOf: (name: string, count: number) => Zone): Promise<NameServer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const server = new NameServer(socket, zoneOf, dns.getServers());
    socket.on("message", (query, { port, address }) => {
      const answer = server.answer(query);
      if (answer) socket.send(answer, port, address);
    });
    dns.setServers([`127.0.0.1:${socket.address().port}`]);
    return server;
  }

  close(): void {
    dns.setServers(this.before);
    this.socket.close();
  }

  private answer(query: Buffer): Buffer | null {
    const { name, type, end } = questionOf(query);
    const count = (this.asked.get(name) ?? 0) + (type === A ? 1 : 0);
    this.asked.set(name, count);
    // The query for the other family belongs to the same look-up.
    const zone = this.zoneOf(name, Math.max(1, count));
    if (zone === "garbage") return Buffer.concat([query.subarray(0, 2), Buffer.from("no DNS at all")]);
    if (typeof zone === "string") return message(query.subarray(0, end), CODES[zone], []);
    if (zone.mute && type === AAAA) return null;
    return message(query.subarray(0, end), 0, recordsOf(zone, type));
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function message(question: Buffer, code: number, records: readonly Buffer[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf({ addresses, alias }: Exclude<Zone, string>, type: number): Buffer[] {
  const owner = alias === undefined ? NAME_OF_QUESTION : nameBytes(alias);
  const parsed = addresses.map((text) => ipaddr.parse(text));
  const family = type === A ? "ipv4" : "ipv6";
  const found = parsed.filter((address) => address.kind() === family).map((each) => each.toByteArray());
  const records = found.map((bytes) => record(owner, type === A ? A : AAAA, bytes));
  return alias === undefined ? records : [record(NAME_OF_QUESTION, CNAME, nameBytes(alias)), ...records];
}

function record(owner: readonly number[], type: number, data: readonly number[]): Buffer {
  return Buffer.from([...owner, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
}

function nameBytes(name: string): number[] {
  return [...name.split(".").flatMap((label) => [label.length, ...Buffer.from(label, "latin1")]), 0];
}
