import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compilePattern, type StepBudget, StepsExhausted } from "../../../src/event-types/schema/pattern";

const PLENTY = 1_000_000_000;

function isFound(pattern: string, text: string, budget: StepBudget = { left: PLENTY }): boolean {
  return compilePattern(pattern, budget).test(text);
}

describe("patterns match like the runtime's own engine", () => {
  const character = fc.constantFrom(
    ..."abc10é/",
    "😀",
    ".",
    ..."dwsDWS".split("").map((letter) => `\\${letter}`),
    "[ab]",
    "[^a]",
    "[^]",
    "[]",
    "[\\]a-c]",
    "[😀a]",
    "\\p{L}",
    "\\P{Lu}",
    "\\.",
    "\\/",
    "\\n",
    "\\x62",
    "\\u0061",
    "\\u{1F600}",
    "[\\u0080]",
    "[\\s0]",
    "[^\\s[]",
    "[\\b]",
    "\\cJ",
    "\\0",
    "\\p{Script=Han}",
    "[\\p{sc=Han}_-]",
    "\\ud83d\\ude00",
  );
  const quantifier = fc.constantFrom(
    "",
    "*",
    "+",
    "?",
    "{2}",
    "{0}",
    "{1,3}",
    "{0,2}",
    "{1,}",
    "*?",
    "+?",
    "{2,3}?",
  );
  const group = fc.constantFrom("(", "(?:", "(?<name>");
  const joined = (pieces: fc.Arbitrary<string>) => {
    const sequence = fc.array(pieces, { maxLength: 4 }).map((each) => each.join(""));
    return fc.array(sequence, { minLength: 1, maxLength: 3 }).map((options) => options.join("|"));
  };
  const grouped = (body: fc.Arbitrary<string>, repeated: fc.Arbitrary<string>) =>
    fc.tuple(group, body, fc.constant(")"), repeated).map((parts) => parts.join(""));
  const single = fc.oneof(
    fc.tuple(character, quantifier).map((parts) => parts.join("")),
    fc.constantFrom("^", "$"),
  );
  // Keeps repeated groups out of each other. With such a pattern the runtime's engine gives up after seconds and reports no
  // match (seen with a text of seven characters).
  const inner = joined(fc.oneof(single, grouped(joined(single), fc.constant(""))));
  const pattern = joined(fc.oneof(single, grouped(inner, quantifier)));
  const text = fc.string({
    unit: fc.constantFrom(..."abc10 .é/\n]\u0080\u00a0\u2028\ufeff\0[漢-", "😀"),
    maxLength: 6,
  });

  test("for any pattern and text", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const native = nativeOf(source);
        fc.pre(native !== null && !isTooLarge(source));
        const compiled = compilePattern(source, { left: PLENTY });
        const found = texts.map((each) => compiled.test(each));
        expect([source, found]).toEqual([source, texts.map((each) => native?.test(each) ?? false)]);
      }),
      { numRuns: 2_000 },
    );
  });
});

function nativeOf(source: string): RegExp | null {
  try {
    return new RegExp(source, "u");
  } catch {
    return null;
  }
}

function isTooLarge(source: string): boolean {
  try {
    compilePattern(source, { left: 0 });
    return false;
  } catch (error) {
    return String(error).includes("too large");
  }
}

describe("matching takes time linear in the text", () => {
  test.each(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){12}$", "^a*a*a*a*a*$"])("for %p", (pattern) => {
    const stepsFor = (length: number) => {
      const budget = { left: PLENTY };
      expect(isFound(pattern, `${"a".repeat(length)}!`, budget)).toBe(false);
      return PLENTY - budget.left;
    };
    expect(stepsFor(20_000) / stepsFor(2_000)).toBeLessThan(11);
  });

  test("and ends when the steps are used up", () => {
    const budget = { left: 1_000 };
    expect(() => isFound("^a+$", "a".repeat(10_000), budget)).toThrow(StepsExhausted);
    // The next text starts from nothing.
    const pattern = compilePattern("^a+$", budget);
    budget.left = 5;
    expect(() => pattern.test("aaaaaaaaaa")).toThrow(StepsExhausted);
    budget.left = 100;
    expect(pattern.test("aaa")).toBe(true);
    expect(pattern.test("b")).toBe(false);
  });
});

describe("a pattern is refused", () => {
  test.each([
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "(?=a)",
    "(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    "\\bword",
    "\\B",
    "(?i:a)",
    "[\\S]",
    "(",
    "[",
    "a{2,1}",
    "*",
    "\\",
    "\\-",
    "a".repeat(1_025),
    "(a{1,100}){1,100}",
    "a{1000}",
    "(?:){20001}",
    "(?:){999999999}",
    "((((?:){9999}){9999}){9999}){9999}",
  ])("like %p", (pattern) => {
    expect(() => compilePattern(pattern, { left: PLENTY })).toThrow(SyntaxError);
  });
});
