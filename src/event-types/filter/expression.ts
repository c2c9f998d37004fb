import { unparse } from "@bufbuild/cel";
import { type Expr, ExprSchema, type SourceInfo } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { create } from "@bufbuild/protobuf";

/** Most characters of an expression that a message repeats. */
const SHOWN_LENGTH = 200;

/** Shows a part of a filter in CEL. */
export type Shown = (expr: Expr) => string;

/** Shows parts of one filter. With its source, macros are shown as they were written. */
export function shownWith(sourceInfo: SourceInfo | undefined): Shown {
  return (expr) => {
    const text = unparse(sourceInfo ? { $typeName: "cel.expr.ParsedExpr", expr, sourceInfo } : expr);
    return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  };
}

export function callOf(name: string, args: Expr[], target?: Expr): Expr {
  const value = { function: name, args, ...(target && { target }) };
  return create(ExprSchema, { exprKind: { case: "callExpr", value } });
}

export function textOf(value: string): Expr {
  const constantKind = { case: "stringValue", value } as const;
  return create(ExprSchema, { exprKind: { case: "constExpr", value: { constantKind } } });
}

export function wholeOf(value: bigint): Expr {
  const constantKind = { case: "int64Value", value } as const;
  return create(ExprSchema, { exprKind: { case: "constExpr", value: { constantKind } } });
}

/** Returns the text of a literal text; undefined for another part. */
export function literalText({ exprKind }: Expr): string | undefined {
  if (exprKind.case !== "constExpr") return undefined;
  const { constantKind } = exprKind.value;
  return constantKind.case === "stringValue" ? constantKind.value : undefined;
}

/** True for a value that is written out. */
export function isLiteral({ exprKind }: Expr): boolean {
  return exprKind.case === "constExpr";
}

/** True for a value of the endpoint's metadata: `metadata.name` or `metadata["name"]`. */
export function isOfMetadata({ exprKind: { case: kind, value } }: Expr): boolean {
  if (kind === "selectExpr") return !value.testOnly && isMetadata(value.operand);
  return kind === "callExpr" && value.function === "_[_]" && isMetadata(value.args[0]);
}

function isMetadata(expr: Expr | undefined): boolean {
  return expr?.exprKind.case === "identExpr" && expr.exprKind.value.name === "metadata";
}
