import { readFileSync } from "node:fs";
import { Glob, Transpiler } from "bun";
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner, type Scanner } from "typescript/unstable/ast/scanner";

/** A regular expression as a source file has it: a literal, or a call of `new RegExp`, which is null. */
export type WrittenExpression = { file: string; literal: RegExp | null };

const ROOT = `${import.meta.dir}/../../../`;

/** Reads every regular expression in the files that a glob matches. */
export function writtenExpressions(glob: string): WrittenExpression[] {
  const files = [...new Glob(glob).scanSync(ROOT)].sort();
  return files.flatMap((file) => expressionsIn(file, codeOf(file)));
}

/** Returns a file's code without types and tags, which the scanner could take for divisions. */
function codeOf(file: string): string {
  const transpiler = new Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" });
  return transpiler.transformSync(readFileSync(ROOT + file, "utf8"));
}

function expressionsIn(file: string, code: string): WrittenExpression[] {
  const found: WrittenExpression[] = [];
  let before = "";
  for (const [kind, text] of tokensOf(code)) {
    if (kind === SyntaxKind.RegularExpressionLiteral) found.push({ file, literal: expressionOf(text) });
    if (text === "RegExp" && before === "new") found.push({ file, literal: null });
    before = text;
  }
  return found;
}

function expressionOf(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function* tokensOf(code: string): Generator<[SyntaxKind, string]> {
  const scanner = createScanner(true, undefined, code);
  /** The braces that are open in each substitution of a template. */
  const open: number[] = [];
  let before = SyntaxKind.Unknown;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    kind = inContext(scanner, kind, before, open);
    yield [kind, scanner.getTokenText()];
    before = kind;
  }
}

/** Scans a token again whose kind depends on those before it: a slash, and the end of a substitution. */
function inContext(scanner: Scanner, kind: SyntaxKind, before: SyntaxKind, open: number[]): SyntaxKind {
  const inner = open.length - 1;
  if (isSlash(kind) && !endsValue(before)) return scanner.reScanSlashToken();
  if (kind === SyntaxKind.TemplateHead) open.push(0);
  if (inner < 0) return kind;
  if (kind === SyntaxKind.OpenBraceToken) open[inner] = (open[inner] ?? 0) + 1;
  if (kind !== SyntaxKind.CloseBraceToken) return kind;
  if (open[inner] !== 0) {
    open[inner] = (open[inner] ?? 0) - 1;
    return kind;
  }
  const part = scanner.reScanTemplateToken(false);
  if (part === SyntaxKind.TemplateTail) open.pop();
  return part;
}

function isSlash(kind: SyntaxKind): boolean {
  return kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
}

const ENDS: ReadonlySet<SyntaxKind> = new Set([
  ...[SyntaxKind.CloseParenToken, SyntaxKind.CloseBracketToken, SyntaxKind.CloseBraceToken],
  ...[SyntaxKind.NumericLiteral, SyntaxKind.BigIntLiteral, SyntaxKind.StringLiteral],
  ...[SyntaxKind.RegularExpressionLiteral, SyntaxKind.TemplateTail, SyntaxKind.NoSubstitutionTemplateLiteral],
  ...[SyntaxKind.ThisKeyword, SyntaxKind.TrueKeyword, SyntaxKind.FalseKeyword, SyntaxKind.NullKeyword],
]);

/** True for a token after which a slash divides. Words such as `from` are names as well. */
function endsValue(kind: SyntaxKind): boolean {
  return ENDS.has(kind) || kind === SyntaxKind.Identifier || isContextual(kind);
}

function isContextual(kind: SyntaxKind): boolean {
  return (
    kind > SyntaxKind.WithKeyword &&
    kind <= SyntaxKind.LastKeyword &&
    kind !== SyntaxKind.AwaitKeyword &&
    kind !== SyntaxKind.YieldKeyword
  );
}

/** Returns the expressions that a module makes by `new RegExp` when it is loaded. */
export async function expressionsMadeBy(file: string): Promise<RegExp[]> {
  const made: RegExp[] = [];
  const Original = globalThis.RegExp;
  const construct = (target: RegExpConstructor, [pattern, flags]: [string, string?]): RegExp => {
    const expression = new target(pattern, flags);
    made.push(expression);
    return expression;
  };
  globalThis.RegExp = new Proxy(Original, { construct });
  try {
    // The query makes a new instance of this module alone.
    await import(`${ROOT}${file}?expressions`);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}
