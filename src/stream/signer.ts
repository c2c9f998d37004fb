import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import type { DerivedKey } from "../vault/encryption-key";

/** Why a message was refused. */
export type Refusal =
  | "not a message of Hermod"
  | "signed with an unknown key"
  | "changed, or moved to another subject"
  | "more than two minutes old, or from a clock that is ahead"
  | "a repeat, or overtaken"
  | "made by another version of Hermod";

export type Verification =
  /** `isOwn` is true if this process signed the message, or is treated as if it had. */
  { kind: "genuine"; body: Uint8Array; isOwn: boolean } | { kind: "refused"; reason: Refusal };

/** Messages older than this, or further in the future, are refused. The stream keeps messages for a minute. */
export const VALID_MS = 120_000;
/** If the wall clock was set back by more microseconds than this, the signer takes a new origin. */
const SET_BACK_US = 1_000_000;
/** Most origins whose last message is remembered. Each start of a process makes one, and only signed messages add one. */
const MAX_ORIGINS = 1_000;

const MAGIC = "hermod1";
/** The signed part of the first line: `hermod1 <origin> <sent> <key> `. `<code>\n` follows it. */
const HEAD = /^hermod1 ([\w-]{16}) (\d{16}) ([0-9a-f]{8}) $/;
const PREFIX_BYTES = MAGIC.length + 1 + 16 + 1 + 16 + 1 + 8 + 1;
const CODE_BYTES = 43;
const HEAD_BYTES = PREFIX_BYTES + CODE_BYTES + 1;
const LINE_FEED = 10;

/**
 * Signs messages to other processes, and verifies their messages. Otherwise anybody who may publish in NATS could have a
 * payload signed and sent to a receiver, or keep dispatchers busy with made-up work.
 *
 * The first line of a message has the origin (the process that sent it), the time in microseconds, the key and an HMAC-SHA256
 * over subject, line and body. The time grows with every message of an origin, so a repeated message is refused.
 */
export class MessageSigner {
  private readonly keys: ReadonlyMap<string, DerivedKey>;
  private readonly first: DerivedKey;
  private origin = newOrigin();
  /** The time of our last message, Unix microseconds. */
  private sent = 0;
  /** The time of the last message of each origin, Unix microseconds. */
  private readonly heard = new BoundedMap<string, number>(MAX_ORIGINS);
  private ownToo: string | null = null;

  /** The first key signs; all keys verify. */
  constructor(
    keys: readonly DerivedKey[],
    private readonly clock: Pick<Clock, "now">,
  ) {
    const [first] = keys;
    if (!first) throw new Error("a message signer needs at least one key");
    this.first = first;
    this.keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** Names this process in its messages. */
  get from(): string {
    return this.origin;
  }

  /** Treats the messages of another process as our own, because it hands their content over directly. */
  treatAsOwn(origin: string): void {
    this.ownToo = origin;
  }

  /** Returns the message for a subject: the signed first line, and the body. */
  sign(subject: string, body: Uint8Array): Uint8Array {
    const prefix = `${MAGIC} ${this.stamp()} ${this.first.id} `;
    const code = codeOf(this.first, subject, prefix, body).toString("base64url");
    return Buffer.concat([Buffer.from(`${prefix}${code}\n`, "latin1"), body]);
  }

  /** Accepts each message once: a repeated one is refused. */
  verify(subject: string, message: Uint8Array): Verification {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    const prefix = bytes.toString("latin1", 0, PREFIX_BYTES);
    const [, origin, sentText, keyId] = HEAD.exec(prefix) ?? [];
    if (!origin || !keyId || bytes[HEAD_BYTES - 1] !== LINE_FEED) return refused("not a message of Hermod");
    const key = this.keys.get(keyId);
    if (!key) return refused("signed with an unknown key");
    const sent = Number(sentText);
    if (Math.abs(this.clock.now() - sent / 1_000) > VALID_MS)
      return refused("more than two minutes old, or from a clock that is ahead");
    if (sent <= (this.heard.get(origin) ?? 0)) return refused("a repeat, or overtaken");
    const body = bytes.subarray(HEAD_BYTES);
    const code = Buffer.from(bytes.toString("latin1", PREFIX_BYTES, HEAD_BYTES - 1), "base64url");
    const expected = codeOf(key, subject, prefix, body);
    if (code.length !== expected.length || !timingSafeEqual(code, expected))
      return refused("changed, or moved to another subject");
    this.heard.set(origin, sent);
    return { kind: "genuine", body, isOwn: origin === this.origin || origin === this.ownToo };
  }

  private stamp(): string {
    const now = this.clock.now() * 1_000;
    if (now < this.sent - SET_BACK_US) {
      this.origin = newOrigin();
      this.sent = 0;
    }
    this.sent = Math.max(this.sent + 1, now);
    return `${this.origin} ${String(this.sent).padStart(16, "0")}`;
  }
}

function newOrigin(): string {
  return randomBytes(12).toString("base64url");
}

function codeOf(key: DerivedKey, subject: string, prefix: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key.bytes).update(`${subject}\n${prefix}\n`).update(body).digest();
}

function refused(reason: Refusal): Verification {
  return { kind: "refused", reason };
}

/** More refused messages than this in a second are a flood. */
export const MAX_REFUSED_PER_SECOND = 10;
const SECOND_MS = 1_000;
const REFUSALS_EVERY_MS = 60_000;

/** A flooded subject is not read for this long. */
export const FLOOD_REST_MS = 5_000;

/** Counts refused messages. Logs one warning a minute, so that a stranger can't fill the log. */
export class Refusals {
  private second = { since: Number.NEGATIVE_INFINITY, count: 0 };
  private warnedAt = Number.NEGATIVE_INFINITY;
  private unwarned = 0;

  constructor(private readonly options: { clock: Pick<Clock, "monotonic">; log: Log }) {}

  /** Counts a refused message. Returns true for a flood, which would take time from deliveries. */
  note(subject: string, reason: Refusal): boolean {
    const now = this.options.clock.monotonic();
    this.warn(now, subject, reason);
    if (now - this.second.since >= SECOND_MS) this.second = { since: now, count: 0 };
    return ++this.second.count > MAX_REFUSED_PER_SECOND;
  }

  private warn(now: number, subject: string, reason: Refusal): void {
    this.unwarned++;
    if (now - this.warnedAt < REFUSALS_EVERY_MS) return;
    const refused = this.unwarned;
    this.warnedAt = now;
    this.unwarned = 0;
    this.options.log.warn(
      { subject, reason, refused },
      "messages from NATS refused: this process did not act on them, and finds its deliveries in Postgres; " +
        "check who may publish, and that all processes have the same HERMOD_ENCRYPTION_KEY and the right time",
    );
  }
}
