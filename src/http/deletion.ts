import { Type } from "@sinclair/typebox";
import { named } from "./openapi/schema";

/** What a DELETE answers that has removed something. */
export const DELETED = { deleted: true };

/** The same as the document describes it. */
export const DELETED_ANSWER = {
  status: 200,
  description: "It is deleted, or revoked.",
  schema: named("Deleted", Type.Object({ deleted: Type.Boolean() })),
  example: DELETED,
} as const;
