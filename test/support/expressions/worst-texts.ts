import fc from "fast-check";

/** Characters that some class of some expression contains, and some that few contain. */
const CHARACTERS = [..." aAzZ09-.,/:;\\\"'[]({}~_%&=+#*!?<>\t\n\r\0é\u200b"];
const SAMPLES = 4;
const LONGEST_SAMPLE = 16;
/** A character that no expression expects at the end. */
const MISFIT = "\u0001";

/**
 * Lists texts that make a backtracking matcher slow: parts of a matching text, repeated up to `length` characters, with a
 * misfit at the end.
 */
export function* worstTexts(expression: RegExp, length: number): Generator<string> {
  const pumps = new Map(pumpsOf(expression).map((pump) => [JSON.stringify(pump), pump]));
  for (const [start, part, end] of pumps.values()) {
    const repeated = part.repeat(Math.ceil(Math.max(0, length - start.length) / part.length));
    yield (start + repeated).slice(0, length - end.length) + end;
  }
}

type Pump = [start: string, part: string, end: string];

function pumpsOf(expression: RegExp): Pump[] {
  const repeated = CHARACTERS.flatMap((character): Pump[] => [
    ["", character, ""],
    ["x", character, MISFIT],
  ]);
  return [...repeated, ...samplesOf(expression).flatMap(pumpsIn)];
}

function pumpsIn(sample: string): Pump[] {
  const characters = [...sample.slice(0, LONGEST_SAMPLE)];
  return characters.flatMap((character, i): Pump[] => {
    const start = characters.slice(0, i).join("");
    const two = characters.slice(i, i + 2).join("");
    return [
      [start, character, MISFIT],
      [start, two, MISFIT],
      [start, " ", MISFIT],
      ["", start + character, MISFIT],
    ];
  });
}

/** Returns texts that nearly match: the generator knows neither assertions nor the flags. */
function samplesOf({ source }: RegExp): string[] {
  const plain = source.replaceAll(/\(\?<?[=!](?:\\.|\[(?:\\.|[^\]\\])*\]|[^()[\]\\])*\)|\\[bB]/g, "");
  try {
    return fc.sample(fc.stringMatching(new RegExp(plain)), { numRuns: SAMPLES, seed: 1 });
  } catch {
    return [];
  }
}
