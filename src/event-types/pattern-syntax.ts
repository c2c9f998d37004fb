import type { CharacterTest } from "./character-test";

/** The parts of a pattern. */
export type Node =
  | { kind: "character"; test: CharacterTest }
  | { kind: "start" }
  | { kind: "end" }
  | { kind: "sequence"; parts: Node[] }
  | { kind: "choice"; options: Node[] }
  /** `max` may be Infinity. */
  | { kind: "repeat"; node: Node; min: number; max: number };

/** In characters. */
export const MAX_PATTERN_LENGTH = 1_024;

// One token after the other: an escape, a class, a group's opening, a quantifier, or a character.
const TOKEN =
  /\\(?:u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u.{4}|x..|c.|[pP]\{[^}]*\}|k|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?::|<[^=!][^>]*>))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsuy;

const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/;
const UNSUPPORTED_ESCAPE = /^\\[1-9kbB]/;

/** Makes the test of a token for one character. */
export type TestMaker = (token: string) => CharacterTest;

/** Throws a `SyntaxError` for what is no pattern, or needs backtracking. */
export function parsePattern(source: string, testOf: TestMaker): Node {
  if (source.length > MAX_PATTERN_LENGTH) {
    throw new SyntaxError(`a pattern may have at most ${MAX_PATTERN_LENGTH} characters`);
  }
  // The runtime judges the syntax; what follows can rely on it.
  new RegExp(source, "u");
  return new Parser(source.match(TOKEN) ?? [], testOf).parse();
}

class Parser {
  private at = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly testOf: TestMaker,
  ) {}

  parse(): Node {
    return this.parseChoice();
  }

  private parseChoice(): Node {
    const options = [this.parseSequence()];
    while (this.tokens[this.at] === "|") {
      this.at++;
      options.push(this.parseSequence());
    }
    const [only] = options;
    return options.length === 1 && only ? only : { kind: "choice", options };
  }

  private parseSequence(): Node {
    const parts: Node[] = [];
    for (let token = this.tokens[this.at]; token !== undefined; token = this.tokens[this.at]) {
      if (token === "|" || token === ")") break;
      this.at++;
      parts.push(this.repeated(this.parseAtom(token)));
    }
    return { kind: "sequence", parts };
  }

  private parseAtom(token: string): Node {
    if (token === "^") return { kind: "start" };
    if (token === "$") return { kind: "end" };
    if (token.startsWith("(")) return this.parseGroup(token);
    if (UNSUPPORTED_ESCAPE.test(token)) {
      throw new SyntaxError(`${token} is not supported in patterns`);
    }
    return { kind: "character", test: this.testOf(token) };
  }

  private parseGroup(opening: string): Node {
    if (opening === "(" && this.tokens[this.at] === "?") {
      throw new SyntaxError("look-around and flags are not supported in patterns");
    }
    const node = this.parseChoice();
    // The closing parenthesis.
    this.at++;
    return node;
  }

  private repeated(node: Node): Node {
    const match = QUANTIFIER.exec(this.tokens[this.at] ?? "");
    if (!match) return node;
    this.at++;
    const [, sign, min, comma, max] = match;
    if (sign === "*") return { kind: "repeat", node, min: 0, max: Number.POSITIVE_INFINITY };
    if (sign === "+") return { kind: "repeat", node, min: 1, max: Number.POSITIVE_INFINITY };
    if (sign === "?") return { kind: "repeat", node, min: 0, max: 1 };
    const most = comma === "" ? min : max === "" ? Number.POSITIVE_INFINITY : max;
    return { kind: "repeat", node, min: Number(min), max: Number(most) };
  }
}
