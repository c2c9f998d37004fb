import { describe, expect, test } from "bun:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import type { JsonSchema } from "../../../src/domain/json-schema";
import { SchemaProblem } from "../../../src/event-types/schema/schema-problem";
import { resolveReference } from "../../../src/event-types/schema/schema-reference";

const ROOT = { $defs: { "a/b": { const: 1 }, "~": { const: 2 }, é: { const: 3 }, "%2F": { const: 4 } } };

/** Returns the part that a reference means. Throws if it has none, or is not followed. */
function partFor(schema: JsonSchema, reference: string): unknown {
  const target = resolveReference({ schema, path: "" }, reference, "/");
  if ("elsewhere" in target) throw new SchemaProblem(target.elsewhere);
  return target.part;
}

describe("a reference means", () => {
  test.each([
    ["#", undefined],
    ["#/$defs/a~1b", 1],
    ["#/$defs/a%2Fb", 1],
    ["#/$defs/a%7E1b", 1],
    ["#/$defs/~0", 2],
    ["#/$defs/é", 3],
    ["#/$defs/%C3%A9", 3],
    ["#/$defs/%252F", 4],
  ])("by %s the part that JSON Pointer defines", (reference, mark) => {
    expect(partFor(ROOT, reference)).toHaveProperty(
      mark === undefined ? "$defs" : "const",
      mark ?? ROOT.$defs,
    );
  });

  test.each(["", "#a", "a", "#/", "#/$defs/#", "#/$defs/#/", "#/$defs/%", "#/$defs/a/b", "#/$defs/b"])(
    "nothing as %p",
    (reference) => expect(() => partFor(ROOT, reference)).toThrow(SchemaProblem),
  );
});

type Part = { [name: string]: unknown };

// Some look like several steps of a pointer, or like its end: each reading finds a part, but not the same one.
const NAMES = ["a", "b", "a/b", "a#", "", "~1", "%2F", "é", "definitions"];

describe("if Ajv resolves a reference", () => {
  const spelling = fc.constantFrom(
    pointerStep,
    (step: string) => step,
    (step: string) => encodeURIComponent(pointerStep(step)),
    (step: string) => encodeURIComponent(pointerStep(step)).toLowerCase().replaceAll("~", "%7e"),
    encodeURIComponent,
  );
  const steps = fc.array(fc.constantFrom("x-twin", ...NAMES), { maxLength: 2 });
  const reference = fc
    .record({ steps, spelling, ending: fc.constantFrom("", "", "", "", "#", "/", "#/") })
    .map(({ steps, spelling, ending }) => `#${steps.map((step) => `/${spelling(step)}`).join("")}${ending}`);
  const id = fc.constantFrom(undefined, "http://e/", "e", "#", "#/", "", "#/a", "#a");

  test.each([
    ["2020-12", Ajv2020],
    ["7", Ajv],
  ])("of draft %s, it is the same part, or refused", (_, Draft) => {
    let compared = 0;
    fc.assert(
      fc.property(reference, reference, id, (first, second, $id) => {
        // The twin has the same parts as the root, so that a reference finds one from either.
        const root: Part = { ...tree(2), "x-twin": { ...tree(2), ...($id !== undefined && { $id }) } };
        const marked = Object.values(root).flatMap(allIn);
        for (const [i, part] of marked.entries()) part.const = i;
        const relay = resolved(root, first);
        if (relay?.const === undefined) return;
        delete relay.const;
        relay.allOf = [{ $ref: second }];
        const meant = resolved(root, second)?.const;
        root.properties = { v: { $ref: first } };
        const check = orNull(() => new Draft(OPTIONS).compile(root));
        if (meant === undefined || check === null) return;
        compared++;
        const passing = marked.flatMap((_, v) => (check({ v }) ? [v] : []));
        expect({ first, second, passing }).toEqual({ first, second, passing: [meant as number] });
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

const OPTIONS = { strict: false, meta: false, validateSchema: false, logger: false } as const;

function pointerStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function tree(height: number): Part {
  return height === 0 ? {} : Object.fromEntries(NAMES.map((name) => [name, tree(height - 1)]));
}

/** Makes a part with all of its subparts. */
function allIn(part: unknown): Part[] {
  if (typeof part !== "object" || part === null) return [];
  return [part as Part, ...Object.values(part).flatMap(allIn)];
}

function resolved(root: Part, reference: string): Part | null {
  return orNull(() => partFor(root, reference) as Part);
}

function orNull<T>(attempt: () => T): T | null {
  try {
    return attempt();
  } catch {
    return null;
  }
}
