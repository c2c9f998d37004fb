import { Type } from "@sinclair/typebox";

/** How many items a page holds unless asked otherwise. */
const DEFAULT_LIMIT = 20;
/** More than this counts as this. */
const MAX_LIMIT = 100;

/** The size of a page that was asked for. */
export function pageLimit(asked: number | undefined): number {
  return Math.min(asked ?? DEFAULT_LIMIT, MAX_LIMIT);
}

/**
 * A parameter that gives the size of a page. It names its default in words only: tools that fill defaults in
 * would send it, and so turn one form of a list into another.
 */
export const LIMIT_PARAMETER = Type.Integer({
  minimum: 1,
  description: `Items per page, ${DEFAULT_LIMIT} by default; more than ${MAX_LIMIT} count as ${MAX_LIMIT}.`,
});
