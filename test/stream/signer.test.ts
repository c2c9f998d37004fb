import { expect, test } from "bun:test";
import fc from "fast-check";
import { MessageSigner, type Refusal } from "../../src/stream/signer";
import { deriveKey, parseEncryptionKeys } from "../../src/vault/encryption-key";

const [FIRST, SECOND, STRANGERS] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString("base64"));
const SUBJECT = "hermod.deliveries.3";
const BODY = Buffer.from('[{"id":"wh_1"}]\n{"a":1}');
const HOUR_MS = 3_600_000;

function signerWith(keys = FIRST, time = { now: 1_750_000_000_000 }, purpose = "test") {
  const derived = parseEncryptionKeys(keys ?? "").map((key) => deriveKey(key, purpose));
  return Object.assign(new MessageSigner(derived, { now: () => time.now }), { time });
}

/** Returns what a process makes of a message: the body, or the reason for refusing it. */
function read(signer: MessageSigner, message: Uint8Array, subject = SUBJECT): string {
  const verdict = signer.verify(subject, message);
  return verdict.kind === "genuine" ? Buffer.from(verdict.body).toString() : verdict.reason;
}

const changed: Refusal = "changed, or moved to another subject";
const otherKey: Refusal = "signed with an unknown key";
const none: Refusal = "not a message of Hermod";
const outOfTime: Refusal = "more than two minutes old, or from a clock that is ahead";
const repeated: Refusal = "a repeat, or overtaken";

test("a message of another process is read as it was signed", () => {
  const [sender, receiver] = [signerWith(), signerWith()];
  fc.assert(
    fc.property(fc.uint8Array(), (body) => {
      const verdict = receiver.verify(SUBJECT, sender.sign(SUBJECT, body));
      expect(verdict.kind === "genuine" && Uint8Array.from(verdict.body)).toEqual(body);
    }),
  );
});

test("a message is refused if any byte of it was changed", () => {
  const message = signerWith().sign(SUBJECT, BODY);
  for (const [at, byte] of message.entries()) {
    // The last character of the code has two bits to spare.
    for (const mask of [4, 0x40])
      expect(read(signerWith(), message.with(at, byte ^ mask))).not.toBe(String(BODY));
  }
});

test("a message is refused if it was cut anywhere, or something was added", () => {
  const message = signerWith().sign(SUBJECT, BODY);
  for (let length = 0; length < message.length; length++) {
    expect<string[]>([none, changed]).toContain(read(signerWith(), message.subarray(0, length)));
  }
  expect(read(signerWith(), Buffer.concat([message, Buffer.from(" ")]))).toBe(changed);
});

test("a message moved to another subject is refused", () => {
  const message = signerWith().sign(SUBJECT, BODY);
  expect(read(signerWith(), message, "hermod.deliveries.4")).toBe(changed);
  // The subject's end and the line's start are unambiguous.
  expect(read(signerWith(), message, "hermod.deliveries.")).toBe(changed);
});

test("a message signed with an attacker's key is refused, even under the name of ours", () => {
  const message = signerWith(STRANGERS).sign(SUBJECT, BODY);
  expect(read(signerWith(), message)).toBe(otherKey);
  const ours = Buffer.from(signerWith().sign(SUBJECT, BODY)).toString("latin1");
  const [, , , keyId = ""] = ours.split(" ");
  const renamed = Buffer.from(message).toString("latin1").split(" ").with(3, keyId).join(" ");
  expect(read(signerWith(), Buffer.from(renamed, "latin1"))).toBe(changed);
});

test("a key derived for another purpose does not verify", () => {
  const message = signerWith(FIRST, undefined, "control").sign(SUBJECT, BODY);
  expect(read(signerWith(FIRST, undefined, "stream"), message)).toBe(changed);
});

test("a repeated message is refused, and so is one that later ones of its sender overtook", () => {
  const [sender, receiver] = [signerWith(), signerWith()];
  const [one, two, three] = [1, 2, 3].map(() => sender.sign(SUBJECT, BODY));
  if (!one || !two || !three) throw new Error("three messages");
  expect(read(receiver, one)).toBe(String(BODY));
  expect(read(receiver, three)).toBe(String(BODY));
  for (const old of [one, two, three]) expect(read(receiver, old)).toBe(repeated);
});

test("messages of several senders do not overtake each other", () => {
  const receiver = signerWith();
  const later = signerWith();
  later.time.now += 1_000;
  expect(read(receiver, later.sign(SUBJECT, BODY))).toBe(String(BODY));
  expect(read(receiver, signerWith().sign(SUBJECT, BODY))).toBe(String(BODY));
});

test("a forged message does not make genuine ones count as repeats", () => {
  const [sender, receiver] = [signerWith(), signerWith()];
  const genuine = sender.sign(SUBJECT, BODY);
  sender.time.now += 60_000;
  const later = Buffer.from(sender.sign(SUBJECT, BODY));
  later[later.length - 1] = 0;
  expect(read(receiver, later)).toBe(changed);
  expect(read(receiver, genuine)).toBe(String(BODY));
});

test("a process refuses an old message from a sender that it meets for the first time", () => {
  const old = signerWith().sign(SUBJECT, BODY);
  for (const [laterMs, expected] of [
    [119_000, String(BODY)],
    [121_000, outOfTime],
    [HOUR_MS, outOfTime],
    [-119_000, String(BODY)],
    [-121_000, outOfTime],
  ] as const) {
    const receiver = signerWith();
    receiver.time.now += laterMs;
    expect(read(receiver, old)).toBe(expected);
  }
});

test("a sender whose clock was set back is accepted at once", () => {
  const [sender, receiver] = [signerWith(), signerWith()];
  sender.time.now += 100_000;
  read(receiver, sender.sign(SUBJECT, BODY));
  sender.time.now -= 200_000;
  expect(read(receiver, sender.sign(SUBJECT, BODY))).toBe(String(BODY));
});

test("during a key rotation each process reads the others' messages, whatever they call a key", () => {
  const steps = [
    FIRST,
    `${FIRST},${SECOND}`,
    `${SECOND},${FIRST}`,
    `new:${SECOND},old:${FIRST}`,
    `new:${SECOND}`,
  ];
  for (const [i, keys] of steps.entries()) {
    for (const others of steps.slice(Math.max(0, i - 1), i + 2)) {
      expect(read(signerWith(others), signerWith(keys).sign(SUBJECT, BODY))).toBe(String(BODY));
    }
  }
  expect(read(signerWith(FIRST), signerWith(`${SECOND},${FIRST}`).sign(SUBJECT, BODY))).toBe(otherKey);
});

test("a process recognizes its own messages, and no others", () => {
  const [sender, receiver] = [signerWith(), signerWith()];
  const message = sender.sign(SUBJECT, BODY);
  expect(sender.verify(SUBJECT, message)).toMatchObject({ kind: "genuine", isOwn: true });
  expect(receiver.verify(SUBJECT, message)).toMatchObject({ kind: "genuine", isOwn: false });
  expect(read(sender, sender.sign(SUBJECT, BODY).with(-1, 0))).toBe(changed);
});

test("no bytes cause an exception or are accepted", () => {
  const receiver = signerWith();
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (bytes) => receiver.verify(SUBJECT, bytes).kind === "refused",
    ),
  );
});
