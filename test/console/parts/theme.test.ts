import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { textsFor } from "../../../src/console/portal/texts";
import { contrast, parseTheme, readable, readableOn } from "../../../src/console/portal/theme";

const colour = fc
  .tuple(...Array.from({ length: 3 }, () => fc.nat(255)))
  .map((parts) => `#${parts.map((each) => each.toString(16).padStart(2, "0")).join("")}`);

describe("a theme", () => {
  test("applies its valid parts, and can set nothing else", () => {
    expect(parseTheme({ accent: "#0f766e", font: 'Inter, "Segoe UI"', radius: "8px", mode: "auto" })).toEqual(
      {
        accent: "#0f766e",
        font: 'Inter, "Segoe UI"',
        radius: "8px",
        mode: "auto",
      },
    );
    const bad = {
      accent: "red",
      background: "url(https://a.example)",
      font: "x; color: red",
      radius: "99px",
      mode: "x",
    };
    expect(parseTheme({ ...bad, other: "#000000" })).toEqual({});
    expect(parseTheme(null)).toEqual({});
  });

  test("never makes text unreadable", () => {
    fc.assert(
      fc.property(colour, colour, (one, other) => {
        expect(contrast(one, readableOn(one, other))).toBeGreaterThanOrEqual(4.5);
        expect(contrast(readable(one, other), other)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test("keeps a readable colour", () => {
    expect(readableOn("#0f766e", "#ffffff")).toBe("#ffffff");
    expect(readable("#0f766e", "#ffffff")).toBe("#0f766e");
  });
});

test("the portal uses the first language that it supports", () => {
  expect(textsFor(["fr-FR", "de-AT", "en"]).language).toBe("de");
  expect(textsFor(["fr"]).language).toBe("en");
});
