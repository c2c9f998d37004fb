import { beforeEach, expect, test } from "bun:test";
import { newId } from "../../src/domain/ids";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, RulesAllowance } from "../../src/event-types/rules-threads";

const account = newId("acc");
let allowance: RulesAllowance;

beforeEach(() => {
  allowance = new RulesAllowance();
});

test("an account with quick rules is never judged apart", () => {
  for (let now = 0; now < 10_000; now++) allowance.took(account, 5, now);
  expect(allowance.isApart(account, 10_000)).toBe(false);
});

test("an account takes half a percent of the common thread with slow rules", () => {
  let commonMs = 0;
  const slowMs = 300;
  for (let now = 0; now < 3_600_000; now += slowMs) {
    if (!allowance.isApart(account, now)) {
      commonMs += slowMs;
      allowance.took(account, slowMs, now);
    }
  }
  expect(commonMs / 3_600_000).toBeLessThan(0.006);
  expect(commonMs).toBeGreaterThan(0);
});

test("an account is judged with the others again after five minutes at most", () => {
  for (let now = 0; now < 100_000; now += 1_000) allowance.took(account, 1_000, now);
  expect(allowance.isApart(account, 100_000)).toBe(true);
  expect(allowance.isApart(account, 400_000)).toBe(false);
});

test("each failure doubles the wait, up to a minute", () => {
  const waits: number[] = [];
  for (let i = 0, now = 0; i < 8; i++) {
    allowance.failed(account, now);
    waits.push(allowance.waitMs(account, now));
    now += allowance.waitMs(account, now);
    expect(allowance.waitMs(account, now)).toBe(0);
  }
  expect(waits.slice(0, 3)).toEqual([FIRST_WAIT_MS, 2 * FIRST_WAIT_MS, 4 * FIRST_WAIT_MS]);
  expect(waits.at(-1)).toBe(LONGEST_WAIT_MS);
  allowance.failed(account, 10_000_000);
  expect(allowance.waitMs(account, 10_000_000)).toBe(FIRST_WAIT_MS);
});

test("an account that did not fail never waits", () => {
  allowance.took(account, 1_000, 0);
  expect(allowance.waitMs(account, 0)).toBe(0);
});
