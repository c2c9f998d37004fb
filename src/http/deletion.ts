import { Type } from "@sinclair/typebox";
import { named } from "./openapi/schema";

/** The answer of a DELETE that removed something. */
export const DELETED = { deleted: true };

/** Describes the same answer in the OpenAPI document. */
export const DELETED_ANSWER = {
  status: 200,
  description: "It is deleted, or revoked.",
  schema: named("Deleted", Type.Object({ deleted: Type.Boolean() })),
  example: DELETED,
} as const;
