import { Type } from "@sinclair/typebox";
import { named } from "./openapi/schema";

/** The answer of a DELETE that removed something. */
export const DELETED = { deleted: true };

/** The description of `DELETED` in the OpenAPI document. */
export const DELETED_ANSWER = {
  status: 200,
  description: "The resource is deleted, or the key revoked.",
  schema: named("Deleted", Type.Object({ deleted: Type.Boolean() })),
  example: DELETED,
} as const;
