import { Type } from "@sinclair/typebox";

/** Items on a page by default. */
export const DEFAULT_LIMIT = 20;
/** Most items on a page. Larger limits are lowered to this number. */
export const MAX_LIMIT = 100;

/** Returns the size of the page. */
export function pageLimit(asked: number | undefined): number {
  return Math.min(asked ?? DEFAULT_LIMIT, MAX_LIMIT);
}

/**
 * The query parameter for a page's size. Only the description has the default, because tools that fill in defaults would send it
 * and so switch the form of the list.
 */
export const LIMIT_PARAMETER = Type.Integer({
  minimum: 1,
  description: `Items per page, ${DEFAULT_LIMIT} by default and ${MAX_LIMIT} at most; a larger number is lowered to ${MAX_LIMIT}.`,
});
