import { afterEach, describe, expect, test } from "bun:test";
import type { Address } from "../../src/attempt/targets/address";
import { beginLookup, RESOLUTION_DELAY_MS } from "../../src/attempt/targets/system-lookup";
import { systemClock } from "../../src/runtime/clock";
import { ManualClock } from "./manual-clock";
import { NameServer } from "./name-server";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

const V4: Address = { address: "192.0.2.1", family: 4 };
const V6: Address = { address: "2001:db8::1", family: 6 };

/** A look-up that the test answers. */
function scene() {
  const clock = new ManualClock();
  const asked: unknown[] = [];
  const answers = { any: Promise.withResolvers<Address[]>(), 4: Promise.withResolvers<Address[]>() };
  const lookup = (_: string, family: "any" | 4) => {
    asked.push(family);
    return answers[family].promise;
  };
  const { addresses, ended } = beginLookup(lookup, "hook.test", clock);
  const seen: { result: unknown; isOver: boolean } = { result: null, isOver: false };
  addresses.then(
    (found) => (seen.result = found),
    (error) => (seen.result = error.message),
  );
  ended.then(() => (seen.isOver = true));
  return { clock, asked, answers, seen };
}

describe("a look-up", () => {
  test("that is answered at once makes no further query", async () => {
    const { clock, asked, answers, seen } = scene();
    answers.any.resolve([V6, V4]);
    await clock.pass(0);
    await clock.pass(1_000);
    expect([asked, seen]).toEqual([["any"], { result: [V6, V4], isOver: true }]);
    expect(clock.pending).toBe(0);
  });

  test("that is slow also asks for IPv4 alone, and takes the first answer", async () => {
    const late = scene();
    await late.clock.pass(RESOLUTION_DELAY_MS - 1);
    expect(late.asked).toEqual(["any"]);
    await late.clock.pass(1);
    expect(late.asked).toEqual(["any", 4]);
    late.answers[4].resolve([V4]);
    await late.clock.pass(0);
    expect(late.seen).toEqual({ result: [V4], isOver: false });
    late.answers.any.resolve([V6, V4]);
    await late.clock.pass(0);
    expect(late.seen).toEqual({ result: [V4], isOver: true });

    const both = scene();
    await both.clock.pass(RESOLUTION_DELAY_MS);
    both.answers.any.resolve([V6, V4]);
    await both.clock.pass(0);
    expect(both.seen).toEqual({ result: [V6, V4], isOver: false });
  });

  test("finds a name with IPv6 only, and fails as the look-up of both families does", async () => {
    const six = scene();
    await six.clock.pass(RESOLUTION_DELAY_MS);
    six.answers[4].reject(new Error("no IPv4"));
    await six.clock.pass(0);
    expect(six.seen.result).toBeNull();
    six.answers.any.resolve([V6]);
    await six.clock.pass(0);
    expect(six.seen).toEqual({ result: [V6], isOver: true });

    const none = scene();
    none.answers.any.reject(new Error("no such name"));
    await none.clock.pass(0);
    await none.clock.pass(1_000);
    expect([none.asked, none.seen]).toEqual([["any"], { result: "no such name", isOver: true }]);
  });
});

test("a look-up of a name whose servers never answer for IPv6 succeeds fast, even in an attempt with little time", async () => {
  open.push(await NameServer.open(() => ({ addresses: ["127.0.0.1"], mute: true })));
  const receiver = await Receiver.answering(answer(200));
  // Answers are not kept, so that each attempt looks the name up.
  const sender = createSender({ clock: systemClock, ttlMs: 0, timeoutMs: 1_500 });
  open.push(receiver, sender);
  for (let i = 0; i < 3; i++) {
    const exchange = await exchangeOf(sender, to(`http://hook.test:${receiver.port}/`));
    expect(exchange).toMatchObject({ status: 200, error: null });
  }
});
